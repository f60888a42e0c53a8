import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { FiscalCallId } from "../../src/contracts/fiscal/endpoints.ts";
import { readRequest } from "../../src/contracts/fiscal/read.ts";
import { parseJson } from "../../src/http/json-body.ts";
import { formatKopecks } from "../../src/kernel/money.ts";
import { formatQuantity } from "../../src/kernel/quantity.ts";
import type { ReceiptDocument } from "../../src/model/document.ts";
import { draftDocument } from "../../src/model/draft/draft.ts";
import type { FiscalFacts } from "../../src/model/facts.ts";
import type { StoreProfile } from "../../src/model/store-profile.ts";
import { VAT_RATES, type VatCode } from "../../src/model/tax.ts";
import { drawable } from "../../src/receipts/drawable.ts";
import { loadFont } from "../../src/receipts/font.ts";
import { linesOf } from "../../src/receipts/lines.ts";
import { receiptOf } from "../../src/receipts/receipt.ts";
import { type RawTlv, readTlvs, readValue } from "../../src/registers/tags/tlv.ts";
import { VirtualDevice } from "../../src/registers/virtual/device.ts";
import { MemoryDrive } from "../../src/registers/virtual/drive.ts";
import { sale, salesReturn } from "../support/fiscal-bodies.ts";
import { returnExample, saleExample } from "../support/receipts.ts";
import { shiftDocument } from "../support/register-documents.ts";
import { MORNING_MS, SCHEMES, sameChance, Trial, ZONE } from "../support/registers.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const SHOP: StoreProfile = { taxSystem: "osn", vatPayer: true, buyerContact: "email" };
const SHOES: StoreProfile = { ...SHOP, taxSystem: "usn-income" };

/** Takes a body through the contract and the model. */
function drafted(call: FiscalCallId, body: object, profile: StoreProfile, originalSign?: string): ReceiptDocument {
  const json = parseJson(Buffer.from(JSON.stringify(body)));
  if (json.kind !== "json") throw new Error(json.problem);
  const read = readRequest(call, json.value, { money: 1, cash: 100 });
  if (read.kind === "refused") throw new Error(JSON.stringify(read.refusal));
  const draft = draftDocument(read.operation, profile, {
    reference: "a1",
    lineSums: "within-kopeck",
    ...(originalSign === undefined ? {} : { originalSign }),
  });
  if (draft.kind === "refused" || draft.document.kind !== "receipt") throw new Error(JSON.stringify(draft));
  return draft.document;
}

function printed(document: ReceiptDocument, facts: FiscalFacts, columns: number): string[] {
  const receipt = receiptOf(document, facts);
  const lines = linesOf(receipt, columns, (text) => text).flatMap((group) => group.lines.map(({ text }) => text));
  return receipt.qr === undefined ? lines : [...lines, `[QR: ${receipt.qr}]`];
}

function golden(name: string): string[] {
  return readFileSync(new URL(`../golden/receipts/${name}`, import.meta.url), "utf8")
    .trimEnd()
    .split("\n");
}

/** The receipt of a virtual register: its facts, and the content of its drive. */
async function registered(document: ReceiptDocument): Promise<{ facts: FiscalFacts; content: RawTlv[] }> {
  const clock = new VirtualClock(MORNING_MS);
  const options = { name: "kassa", storage: new MemoryDrive(), clock, chance: sameChance, zone: ZONE };
  const { device } = await VirtualDevice.open({ ...options, seller: { senderEmail: "check@ofd.example" } });
  await device.make(shiftDocument("open-shift"));
  const made = await device.make(document);
  const stored = await device.stored(3);
  if (made.kind !== "answer" || made.value.kind !== "fiscal") throw new Error(JSON.stringify(made));
  if (stored.kind !== "answer" || stored.value === undefined) throw new Error("not stored");
  return { facts: made.value, content: contentOf(readTlvs(stored.value.tlv)?.[0]) };
}

function contentOf(list: RawTlv | undefined): RawTlv[] {
  return readTlvs(list?.value ?? Buffer.alloc(0)) ?? [];
}

function held(content: RawTlv[], tag: number): unknown {
  const found = content.find((raw) => raw.tag === tag);
  return found === undefined ? undefined : readValue(found);
}

const KEG = "010460000000000821keg0000000001\\u1d93abcd";

/** A basket of goods that are sold by measure with a mark, a marked piece, and goods without a mark. */
function tapped(call: "sale" | "salesReturn"): object {
  const body = call === "sale" ? sale() : salesReturn();
  const [first] = body.positions;
  const goods = (name: string, uom: object, quantity: number, price: string, marks: unknown[]) => ({
    ...first,
    assortment: { meta: { type: "Product" }, name },
    uom,
    quantity,
    price,
    discount: "0",
    vat: 10,
    marks,
  });
  const positions = [
    goods("Молоко на розлив", { name: "л", code: "112" }, 0.5, "180.00", [KEG]),
    goods("То же молоко", { name: "л", code: "112" }, 2, "180.00", [{ cis: KEG }]),
    goods("Сыр", { name: "кг", code: "166" }, 0.356, "899.00", ["è010460000000000821cheese[GS]93abcd"]),
    goods("Духи на розлив", { name: "мл", code: "111" }, 30, "15.00", ["010460000000000821perfume000000<0x1D>93abcd"]),
    goods("Йогурт", { name: "шт", code: "796" }, 1, "54.90", ["010460000000000821yogurt{FNC1}93abcd"]),
    goods("Хлеб", { name: "шт", code: "796" }, 1, "54.90", []),
  ];
  return { ...body, positions, payments: { cashSum: "0", cardSum: "1329.84" } };
}

/** The first two lines of each position on the paper. */
const TAPPED_PAPER = [
  ["[М+] Молоко на розлив", "0.5 л x 180.00  =90.00"],
  ["[М+] То же молоко", "2 л x 180.00  =360.00"],
  ["[М+] Сыр", "0.356 кг x 899.00  =320.04"],
  ["[М+] Духи на розлив", "30 мл x 15.00  =450.00"],
  ["[М+] Йогурт", "1 шт. x 54.90  =54.90"],
  ["Хлеб", "1 шт. x 54.90  =54.90"],
];

describe("the bodies of the worked examples", () => {
  it("come out as the paper of 9.1, line by line", () => {
    expect(printed(drafted("sale", sale(), SHOP), saleExample().facts, 48)).toEqual(golden("9.1-sale-80.txt"));
  });

  it("come out as the paper of 9.2, line by line", () => {
    expect(printed(drafted("salesReturn", salesReturn(), SHOES), returnExample().facts, 32)).toEqual(golden("9.2-return-58.txt"));
  });
});

/** For each name that a till sends, the text in the register, in the drive and on paper. */
const NAMES: Record<string, string> = {
  'Труба 1½" ⌀20': 'Труба 1 1/2" диам.20',
  "Плитка 10², 5 м²": "Плитка 10^2, 5 м2",
  "Плёнка 5µm «Ёж» — 5₽": 'Плёнка 5мкм "Ёж" - 5руб.',
  "Резистор 4,7kΩ ±5 % √■": "Резистор 4,7кОм +/-5 % V·",
  "№5 ①Ⅳ→ Қант 🍎": "№5 (1)IV-> Кант ?",
};

describe.each(SCHEMES)("the names of goods at a register of %s", (scheme) => {
  it("are the same in document, drive and on paper", async () => {
    const body = sale();
    const [position] = body.positions;
    const positions = Object.keys(NAMES).map((name) => ({
      ...position,
      assortment: { ...position?.assortment, name },
      quantity: 1,
      price: "10.00",
    }));
    const document = drafted("sale", { ...body, positions, payments: { cashSum: "50.00", cardSum: "0" } }, SHOP);
    const names = Object.values(NAMES);
    expect(document.lines.map(({ name }) => name)).toEqual(names);
    const trial = await Trial.begin(scheme);
    await trial.openShift();
    const facts = await trial.fiscal(document);
    const stored = await trial.device.stored(facts.documentNumber);
    if (stored.kind !== "answer" || stored.value === undefined) throw new Error("not stored");
    const lines = contentOf(readTlvs(stored.value.tlv)?.[0]).filter(({ tag }) => tag === 1059);
    expect(lines.map((line) => held(contentOf(line), 1030))).toEqual(names);
    const { has } = loadFont();
    const paper = linesOf(receiptOf(document, facts), 48, (text) => drawable(text, has)).flatMap((group) =>
      group.lines.map(({ text }) => text.trim()),
    );
    for (const name of names) expect(paper).toContain(name);
  });
});

describe("marked goods that are sold by measure", () => {
  it.each(["sale", "salesReturn"] as const)("come out of a %s line by line, with mark and measure", async (call) => {
    const document = drafted(call, tapped(call), SHOP);
    const { facts } = await registered(document);
    const paper = printed(document, facts, 48).map((text) => text.trim().replace(/ {2,}/g, "  "));
    const begins = paper.flatMap((text, at) => (/^НДС 10% {2}/.test(text) ? [at - 2] : []));
    expect(begins.map((at) => paper.slice(at, at + 2))).toEqual(TAPPED_PAPER);
  });
});

describe("paper and drive", () => {
  it.each([
    ["sale of 9.1", () => drafted("sale", sale(), SHOP)],
    ["return of 9.2", () => drafted("salesReturn", salesReturn(), SHOES, "1204745171")],
    ["sale of marked goods by measure", () => drafted("sale", tapped("sale"), SHOP)],
    ["return of marked goods by measure", () => drafted("salesReturn", tapped("salesReturn"), SHOP, "1204745171")],
  ] as const)("hold the same of the %s: every requisite in the drive stands on the paper", async (_, document) => {
    const { facts, content } = await registered(document());
    const paper = printed(document(), facts, 48).map((text) => text.trim().replace(/ {2,}/g, "  "));
    const positions = content.filter(({ tag }) => tag === 1059).map(contentOf);
    for (const position of positions) {
      const [name, quantity, price, sum] = [1030, 1023, 1079, 1043].map((tag) => held(position, tag));
      const vat = VAT_RATES[held(position, 1199) as VatCode];
      const mark = position.some(({ tag }) => tag === 1163) ? "[М+] " : "";
      const at = paper.indexOf(`${mark}${name}`);
      expect(at).toBeGreaterThan(0);
      expect(paper[at + 1]).toMatch(
        new RegExp(
          `^${formatQuantity(Number(quantity))} (шт\\.|кг|л|мл) x ${formatKopecks(Number(price))}  =${formatKopecks(Number(sum))}$`,
        ),
      );
      expect(paper.slice(at)).toContain(`${vat.label}  ${formatKopecks(Number(held(position, 1200)))}`);
      expect(paper.slice(at)).toContain(`${held(position, 1212) === 33 ? "ТМ" : "ТОВАР"}, ПОЛНЫЙ РАСЧЕТ`);
    }
    const contact = held(content, 1008);
    for (const line of [
      `ИТОГ  =${formatKopecks(Number(held(content, 1020)))}`,
      `Чек № ${held(content, 1042)}  Смена № ${held(content, 1038)}`,
      `ФД № ${held(content, 1040)}  ФП ${facts.fiscalSign}`,
      `ФН  ${held(content, 1041)}`,
      `РН ККТ  ${String(held(content, 1037)).trim()}`,
      `ИНН ${held(content, 1018)}  СНО: ${held(content, 1055) === 1 ? "ОСН" : "УСН доход"}`,
      `КАССОВЫЙ ЧЕК  ${held(content, 1054) === 1 ? "ПРИХОД" : "ВОЗВРАТ ПРИХОДА"}`,
      ...(contact === undefined ? [] : [`Эл. адр. покупателя  ${contact}`, `Отправитель  ${held(content, 1117)}`]),
      ...(held(content, 1192) === undefined ? [] : [`Доп. реквизит чека  ${held(content, 1192)}`]),
      ...contentOf(content.find(({ tag }) => tag === 1115)).map((rate) => {
        const parts = contentOf(rate);
        return `${VAT_RATES[held(parts, 1199) as VatCode].totalLabel}  =${formatKopecks(Number(held(parts, 1120)))}`;
      }),
    ]) {
      expect(paper).toContain(line);
    }
  });
});
