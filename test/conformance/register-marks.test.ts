import { beforeEach, describe, expect, it } from "vitest";
import { readRequest } from "../../src/contracts/fiscal/read.ts";
import { parseJson } from "../../src/http/json-body.ts";
import type { ReceiptDocument } from "../../src/model/document.ts";
import { draftDocument } from "../../src/model/draft/draft.ts";
import { receiptOf } from "../../src/receipts/receipt.ts";
import { type RawTlv, readTlvs, readValue } from "../../src/registers/tags/tlv.ts";
import { sale } from "../support/fiscal-bodies.ts";
import { correctionDocument, markCode, markedDocument, tappedDocument } from "../support/marked-documents.ts";
import { receiptDocument, receiptLine, tendersOf } from "../support/register-documents.ts";
import { refusalCode, TRIED_REGISTERS, Trial } from "../support/registers.ts";
import { Cable } from "../support/shtrih-m-bench.ts";

const GS = "\u001d";

/** Product numbers, by the result (tag 2106) that the virtual device gives to a check of their marks. */
const GTINS: readonly [number, string][] = [
  [15, "04600000000008"],
  [5, "09520000000059"],
  [7, "09520000000073"],
  [13, "09520000000134"],
  [3, "09520000000035"],
  [1, "09520000000011"],
  [0, "09520000000004"],
];
const WELL = "04600000000008";

/** The tags of each position of a document in the drive. */
async function positionsIn(t: Trial, documentNumber: number): Promise<RawTlv[][]> {
  const stored = await t.device.stored(documentNumber);
  if (stored.kind !== "answer" || stored.value === undefined) throw new Error("not stored");
  const content = readTlvs(readTlvs(stored.value.tlv)?.[0]?.value ?? Buffer.alloc(0)) ?? [];
  return content.filter(({ tag }) => tag === 1059).map(({ value }) => readTlvs(value) ?? []);
}

/** The results of the marks' checks, as the printed positions show them. */
function printed(document: ReceiptDocument, facts: Parameters<typeof receiptOf>[1]): string[] {
  const texts = receiptOf(document, facts).blocks.flatMap(({ rows }) => rows.map((row) => JSON.stringify(row)));
  return texts.flatMap((text) => /\[М[+-]?\] /.exec(text)?.[0].trim() ?? []);
}

describe.each(TRIED_REGISTERS)("marked goods at a register that speaks %s", (scheme) => {
  let t: Trial;

  beforeEach(async () => {
    t = await Trial.begin(scheme);
    await t.openShift();
  });

  it("have what their checks found in the facts, in the drive and on paper, looked up as answered", async () => {
    const document = markedDocument(GTINS.map(([, gtin], at) => markCode(`serial000000${at}`, gtin)));
    const facts = await t.fiscal(document);
    expect(facts.markChecks).toEqual([15, 5, 7, 13, 3, 1, 0, null]);
    expect(await t.lookUp(3)).toMatchObject({ kind: "found", facts: { markChecks: facts.markChecks } });
    const results = (await positionsIn(t, 3)).map((position) => position.find(({ tag }) => tag === 2106)?.value[0]);
    expect(results).toEqual([15, 5, 7, 13, 3, 1, 0, undefined]);
    expect(printed(document, facts)).toEqual(["[М+]", "[М-]", "[М-]", "[М-]", "[М]", "[М-]", "[М]"]);
  });

  it.each([
    ["checked-correct", [15]],
    ["correct-or-unverifiable", [15, 3, 0]],
    ["checked", [15, 5, 7, 13, 1]],
    ["all", [15, 5, 7, 13, 3, 1, 0]],
    [undefined, [15, 5, 7, 13, 3, 1, 0]],
  ] as const)(
    "are sold as the policy %s allows, refused with the reason and nothing opened, and always taken back",
    async (markPolicy, allowed) => {
      const policy = markPolicy === undefined ? {} : { markPolicy };
      const sold: number[] = [];
      let last = (await t.state()).lastDocumentNumber;
      for (const [result, gtin] of GTINS) {
        const document = markedDocument([markCode("abcdefghijklm", gtin)], policy);
        const outcome = await t.perform(document);
        if (outcome.kind === "done") sold.push(result);
        else
          expect(outcome).toMatchObject({
            refusal: { code: "mark-denied", details: { reason: expect.stringMatching(/^код маркировки не /) } },
          });
        const back = await t.fiscal({ ...document, sign: 2 });
        expect(back.markChecks).toEqual([result, null]);
        last += outcome.kind === "done" ? 2 : 1;
        expect(await t.state()).toMatchObject({ lastDocumentNumber: last, documentOpen: false });
      }
      expect(sold).toEqual(allowed);
    },
  );

  it("are sold once, until they come back, whatever way they are spelled", async () => {
    const code = markCode("abcdefghijklm");
    await t.fiscal(markedDocument([code]));
    expect(refusalCode(await t.perform(markedDocument([code.replaceAll(GS, "<GS>")])))).toBe("mark-denied");
    await t.fiscal(markedDocument([code], { sign: 2 }));
    await t.fiscal(markedDocument([`]d2${code}`]));
  });

  it.each([
    ["that are one", [markCode("abcdefghijklm"), markCode("abcdefghijklm").replaceAll(GS, "")], {}, "mark-repeated"],
    ["typed under the Russian layout", ["ФФФФ"], {}, "mark-unreadable"],
    ["misread by a digit", [markCode("abcdefghijklm", "04600000000009")], {}, "mark-unreadable"],
    ["in a purchase", [markCode("abcdefghijklm")], { sign: 3 as const }, "device-refused"],
    ["in the return of a purchase", [markCode("abcdefghijklm")], { sign: 4 as const }, "device-refused"],
    ["above 128", Array.from({ length: 129 }, (_, at) => markCode(`serial0000${String(at).padStart(3, "0")}`)), {}, "document-too-large"],
  ])("with codes %s are refused", async (_, marks, more, code) => {
    expect(refusalCode(await t.perform(markedDocument(marks, more)))).toBe(code);
    expect(await t.state()).toMatchObject({ lastDocumentNumber: 2, documentOpen: false });
    await t.fiscal(receiptDocument());
  });

  it("take 128 codes in one receipt", async () => {
    const lines = Array.from({ length: 128 }, (_, at) =>
      receiptLine({ name: "К", mark: markCode(`serial0000${String(at).padStart(3, "0")}`), subject: 33 }),
    );
    const totalKopecks = 10_000 * lines.length;
    const sums = {
      totalKopecks,
      tenders: tendersOf({ nonCashKopecks: totalKopecks }),
      vatTotals: [{ vat: 11 as const, sumKopecks: 1_803 * 128 }],
    };
    expect((await t.fiscal(receiptDocument({ lines, ...sums }))).markChecks).toEqual(lines.map(() => 15));
  });

  it("that are sold by measure are one position with mark, measure and quantity, again and again, and come back so", async () => {
    const keg = markCode("keg0000000001");
    const first = await t.fiscal(tappedDocument(keg, [0.5, 2, 0.5]));
    expect(first.markChecks).toEqual([15, 15, 15]);
    const second = await t.fiscal(tappedDocument(keg.replaceAll(GS, "<0x1D>"), [1.25]));
    const back = await t.fiscal(tappedDocument(keg, [0.5], { sign: 2 }));
    await t.fiscal(tappedDocument(keg, [3]));
    for (const [facts, quantities] of [
      [first, [500_000, 2_000_000, 500_000]],
      [second, [1_250_000]],
      [back, [500_000]],
    ] as const) {
      const held = (await positionsIn(t, facts.documentNumber)).map((position) =>
        [2108, 1023].map((tag) => {
          const found = position.find((raw) => raw.tag === tag);
          return found && readValue(found);
        }),
      );
      expect(held).toEqual(quantities.map((quantity) => [41, quantity]));
      const codes = (await positionsIn(t, facts.documentNumber)).map((position) =>
        readTlvs(position.find(({ tag }) => tag === 1163)?.value ?? Buffer.alloc(0))?.[0]?.value.toString("latin1"),
      );
      expect(codes).toEqual(quantities.map(() => `01${WELL}21keg0000000001`));
      expect(await t.lookUp(facts.documentNumber)).toMatchObject({ kind: "found", facts: { markChecks: facts.markChecks } });
    }
    expect(printed(tappedDocument(keg, [1.25]), second)).toEqual(["[М+]"]);
  });

  it("that are sold by measure do not keep the piece of their code from being sold, and not the other way round", async () => {
    const code = markCode("abcdefghijklm");
    await t.fiscal(tappedDocument(code, [0.5]));
    await t.fiscal(markedDocument([code]));
    // The piece is sold, so nothing of it can be sold by measure until it is returned.
    expect(refusalCode(await t.perform(tappedDocument(code, [0.5])))).toBe("mark-denied");
    await t.fiscal(tappedDocument(code, [0.5], { sign: 2 }));
    expect(refusalCode(await t.perform(tappedDocument(code, [0.5])))).toBe("mark-denied");
    await t.fiscal(markedDocument([code], { sign: 2 }));
    await t.fiscal(tappedDocument(code, [0.5]));
  });

  it("that are sold by measure are refused beside a piece of the same code, and a piece that is no whole one is", async () => {
    const code = markCode("abcdefghijklm");
    const tapped = tappedDocument(code, [0.5]);
    const [litre] = tapped.lines;
    const mixed = markedDocument([code]);
    const lines = [...mixed.lines, ...tapped.lines];
    const totalKopecks = mixed.totalKopecks + tapped.totalKopecks;
    const vatTotals = [...mixed.vatTotals, ...tapped.vatTotals];
    const both = { ...mixed, lines, totalKopecks, vatTotals, tenders: tendersOf({ nonCashKopecks: totalKopecks }) };
    expect(refusalCode(await t.perform(both))).toBe("mark-repeated");
    if (litre === undefined) throw new Error("no line");
    const half = { ...tapped, lines: [{ ...litre, unit: { code: 0, label: "шт." } }] };
    expect(refusalCode(await t.perform(half))).toBe("device-refused");
    expect(await t.state()).toMatchObject({ lastDocumentNumber: 2, documentOpen: false });
  });

  it("that were sold by measure are corrected by measure", async () => {
    const keg = markCode("keg0000000002");
    const { lines, totalKopecks, tenders, vatTotals } = tappedDocument(keg, [0.5, 0.5]);
    const facts = await t.fiscal(correctionDocument({ sign: 2, lines, totalKopecks, tenders, vatTotals }));
    expect(facts.document).toBe("correction");
    expect((await positionsIn(t, facts.documentNumber)).map((position) => position.find(({ tag }) => tag === 2108)?.value[0])).toEqual([
      41, 41,
    ]);
    expect(facts.markChecks).toEqual([15, 15]);
  });

  it.each([
    ["of no known shape", "A-1234567890", "shape"],
    ["misread by a digit", markCode("abcdefghijklm", "04600000000009"), "check-digit"],
    ["typed under the Russian layout", "ФФФФ", "keyboard-layout"],
    ["with characters that no code has", "0104é91", "characters"],
  ] as const)("with a code %s are registered as tag 1300 where somebody has decided to sell them", async (_, mark, unreadMark) => {
    const [line] = markedDocument([mark]).lines;
    if (line === undefined) throw new Error("no line");
    const document = receiptDocument({
      lines: [{ ...line, unreadMark }],
      tenders: tendersOf({ nonCashKopecks: 10_000 }),
      markPolicy: "all",
    });
    const facts = await t.fiscal(document);
    expect(facts.markChecks).toEqual([0]);
    const [position] = await positionsIn(t, facts.documentNumber);
    const [code] = readTlvs(position?.find(({ tag }) => tag === 1163)?.value ?? Buffer.alloc(0)) ?? [];
    const taken = { "A-1234567890": "A-1234567890", ФФФФ: "AAAA", "0104é91": "0104?91" }[mark as string] ?? mark.slice(0, 32);
    expect([code?.tag, code?.value.toString("latin1")]).toEqual([1300, taken]);
    expect(printed(document, facts)).toEqual(["[М]"]);
  });

  it("are sold by measure under format 1.05 too, with the name of the measure", async () => {
    const old = await Trial.begin(scheme, { ffd: "1.05" });
    await old.openShift();
    const keg = markCode("keg0000000003");
    await old.fiscal(tappedDocument(keg, [0.5]));
    await old.fiscal(tappedDocument(keg, [2]));
    const [position] = await positionsIn(old, 4);
    const measure = position?.find(({ tag }) => tag === 1197);
    expect(measure && readValue(measure)).toBe("л");
    expect(position?.some(({ tag }) => tag === 1162)).toBe(true);
  });

  it("are stored under format 1.05 by tag 1162, and checked by nobody", async () => {
    const old = await Trial.begin(scheme, { ffd: "1.05" });
    await old.openShift();
    const document = markedDocument([markCode("abcdefghijklm")]);
    expect((await old.fiscal(document)).markChecks).toBeUndefined();
    const [first] = await positionsIn(old, 3);
    // The vector of fiscal-receipts 4.7.
    expect(first?.find(({ tag }) => tag === 1162)?.value.toString("hex")).toBe("444d042f055db0086162636465666768696a6b6c6d");
    expect(first?.some(({ tag }) => tag === 1163 || tag === 2106)).toBe(false);
    expect(refusalCode(await old.perform({ ...document, markPolicy: "checked-correct" }))).toBe("mark-denied");
    expect(refusalCode(await old.perform({ ...document, markPolicy: "checked", sign: 2 }))).toBe("done");
  });
});

/** The eighty characters of a marking code, in the order of fiscal-receipts 4.7. */
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!\"%&'*+-./_,:;=<>?";
const SEEDS = [1, 2, 3, 4, 5, 6];
/** So many codes in a receipt have each character several times. */
const CODES_A_SEED = 12;

/** Codes of every GS1 shape. Together the codes of each seed contain all characters in their serial numbers and check values. */
function codesOf(seed: number): { code: string; value: string; tag: 1305 | 1306 }[] {
  let state = seed;
  const next = (below: number) => {
    // Random numbers by Park and Miller, so that each run has the same codes.
    state = (state * 48_271) % 0x7fff_ffff;
    return state % below;
  };
  let dealt = "";
  const signs = (count: number): string => {
    while (dealt.length < count)
      dealt += [...ALPHABET]
        .map((sign) => ({ sign, at: next(1_000_000) }))
        .sort((a, b) => a.at - b.at)
        .map(({ sign }) => sign)
        .join("");
    const taken = dealt.slice(0, count);
    dealt = dealt.slice(count);
    return taken;
  };
  const shapes = [
    () => ({ serial: signs(13), tail: `${GS}91${signs(4)}${GS}92${signs(44)}`, tag: 1305 as const }),
    () => ({ serial: signs(13), tail: `${GS}91${signs(4)}${GS}92${signs(88)}`, tag: 1305 as const }),
    () => ({ serial: signs(6), tail: `${GS}93${signs(4)}`, tag: 1306 as const }),
    () => ({ serial: signs(7), tail: `${GS}93${signs(4)}${GS}3103000456`, tag: 1306 as const }),
    () => ({ serial: signs(7), tail: `${GS}8005012000${GS}93${signs(4)}`, tag: 1306 as const }),
    () => ({ serial: signs(13), tail: `${GS}93${signs(4)}`, tag: 1306 as const }),
  ];
  return Array.from({ length: CODES_A_SEED }, (_, at) => {
    const { serial, tail, tag } = (shapes[at % shapes.length] ?? shapes[0])?.() ?? { serial: "", tail: "", tag: 1305 };
    return { code: `01${WELL}21${serial}${tail}`, value: `01${WELL}21${serial}`, tag };
  });
}

/** Takes the platform's body through the contract and the model, as bytes of JSON. */
function documentOf(codes: readonly string[]): ReceiptDocument {
  const body = sale();
  const positions = codes.map((code) => ({ ...body.positions[0], quantity: 1, price: "1.00", marks: [code] }));
  const json = parseJson(Buffer.from(JSON.stringify({ ...body, positions, payments: { cashSum: String(codes.length), cardSum: "0" } })));
  if (json.kind !== "json") throw new Error(json.problem);
  const read = readRequest("sale", json.value, { money: 1, cash: 100 });
  if (read.kind === "refused") throw new Error(JSON.stringify(read.refusal));
  const draft = draftDocument(
    read.operation,
    { taxSystem: "osn", vatPayer: true, buyerContact: "email" },
    { reference: "a1", lineSums: "within-kopeck" },
  );
  if (draft.kind === "refused" || draft.document.kind !== "receipt") throw new Error(JSON.stringify(draft));
  return draft.document;
}

describe.each(TRIED_REGISTERS)("a code with separators and all eighty characters, on its way to a register that speaks %s", (scheme) => {
  it.each(SEEDS)("arrives byte for byte: seed %i", async (seed) => {
    const t = await Trial.begin(scheme);
    await t.openShift();
    const codes = codesOf(seed);
    const cable = "cable" in t.bench && t.bench.cable instanceof Cable ? t.bench.cable : undefined;
    cable?.reset();
    const facts = await t.fiscal(documentOf(codes.map(({ code }) => code)));
    expect(facts.markChecks).toEqual(codes.map(() => 15));
    const stored = (await positionsIn(t, facts.documentNumber)).map(
      (position) => readTlvs(position.find(({ tag }) => tag === 1163)?.value ?? Buffer.alloc(0))?.[0],
    );
    expect(stored.map((raw) => [raw?.tag, raw?.value.toString("latin1")])).toEqual(codes.map(({ tag, value }) => [tag, value]));
    for (const { code } of cable === undefined ? [] : codes) {
      const bytes = Buffer.from(code, "ascii");
      const counted = Buffer.concat([Buffer.of(bytes.length), bytes]);
      expect(cable?.sent.includes(Buffer.concat([Buffer.from("ff671e000000", "hex"), counted]))).toBe(true);
      expect(cable?.sent.includes(Buffer.concat([Buffer.from("ff611e0000000100", "hex"), Buffer.of(bytes.length, 0), bytes]))).toBe(true);
    }
  });
});
