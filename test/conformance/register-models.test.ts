import { describe, expect, it } from "vitest";
import type { RegisterDocument } from "../../src/model/document.ts";
import type { DocumentFacts, Ffd } from "../../src/model/facts.ts";
import { parseFault } from "../../src/registers/shtrih-m/device/machine/faults.ts";
import type { PersonalityName } from "../../src/registers/shtrih-m/device/machine/personality.ts";
import { MemoryDrive } from "../../src/registers/virtual/drive.ts";
import { correctionDocument, markCode, markedDocument } from "../support/marked-documents.ts";
import { cashDocument, receiptDocument, receiptLine, shiftDocument, wholeDay } from "../support/register-documents.ts";
import { Trial } from "../support/registers.ts";
import { type ShtrihBench, type ShtrihBenchOptions, shtrihBench } from "../support/shtrih-m-bench.ts";

const MODELS = ["desktop", "cashcore", "nano"] as const satisfies PersonalityName[];
const PROTOCOLS = ["1.0", "2.0"] as const;
const BENCHES = MODELS.flatMap((personality) => PROTOCOLS.map((protocol) => [personality, protocol] as const));
/** T17F36 = 1, as it is in the device's memory: every answer about a document also has its time. */
const EXTENDED_ANSWERS = { kind: "table", table: 17, row: 1, field: 36, value: Buffer.of(1).toString("base64") };
/** T17F7 = 2: no document is printed. */
const SILENT = { ...EXTENDED_ANSWERS, field: 7, value: Buffer.of(2).toString("base64") };

/** How long a device is without power. */
const OFF_MS = 1_000;

function begin(options: ShtrihBenchOptions): Promise<Trial<ShtrihBench>> {
  return Trial.on((clock) => shtrihBench(clock, options));
}

function strike(t: Trial<ShtrihBench>, spec: string): void {
  const parsed = parseFault(spec);
  if (parsed.kind === "invalid") throw new Error(parsed.problem);
  t.bench.front.addFault(parsed.fault);
}

/** The memories of a device with these settings. */
async function setUp(...settings: object[]): Promise<{ drive: MemoryDrive; register: MemoryDrive }> {
  const register = new MemoryDrive();
  for (const setting of settings) await register.append(Buffer.from(JSON.stringify(setting)));
  return { drive: new MemoryDrive(), register };
}

/** A day with all documents. Before format 1.2 a correction has one of the six rates, and only sales are corrected. */
function fullDay(ffd: Ffd): RegisterDocument[] {
  const marks = markedDocument([markCode("abcdefghijklm"), markCode("nopqrstuvwxyz")]);
  const rate = { vat: 2, vatKopecks: 909 } as const;
  const correction = correctionDocument({ lines: [receiptLine(rate)], vatTotals: [{ vat: 2, sumKopecks: 909 }] });
  const documents: RegisterDocument[] = [marks, { ...marks, sign: 2, originalSign: "1204745171" }, correction];
  if (ffd === "1.2") documents.push({ ...marks, kind: "correction", basis: correction.basis }, { ...correction, sign: 2 });
  return wholeDay().toSpliced(-1, 0, ...documents);
}

/** A minute passes between two documents, because the protocol sends no seconds. */
async function factsOf(t: Trial, documents: readonly RegisterDocument[]): Promise<DocumentFacts[]> {
  const made: DocumentFacts[] = [];
  for (const document of documents) {
    const outcome = await t.perform(document);
    if (outcome.kind !== "done") throw new Error(`${document.kind}: ${JSON.stringify(outcome)}`);
    made.push(outcome.facts);
    await t.later(60_000);
  }
  return made;
}

/** The facts without signs, which depend on the bytes of each front, and without the checks of marks, which only format 1.2 makes. */
function comparable(facts: readonly DocumentFacts[]): unknown[] {
  return facts.map((one) => {
    const time = `${one.time.slice(0, -2)}00`;
    if (one.kind !== "fiscal") return { ...one, time };
    const { markChecks, ...rest } = one;
    return { ...rest, time, fiscalSign: "", ...(one.identity.ffd === "1.2" ? { markChecks } : {}) };
  });
}

describe.each(["1.2", "1.05"] as const)("a day under format %s", (ffd) => {
  const expected = Trial.begin("emulator", { ffd }).then((t) => factsOf(t, fullDay(ffd)));

  it.each(BENCHES)("has the same facts at a %s device over protocol %s as at the emulator", async (personality, protocol) => {
    const t = await begin({ personality, protocol, ffd });
    const near = comparable(await expected);
    const far = comparable(await factsOf(t, fullDay(ffd)));
    for (const [at, facts] of near.entries()) expect(far[at]).toEqual(facts);
  });

  it.each(MODELS)("has the same facts at a %s device that answers at more length", async (personality) => {
    const t = await begin({ personality, ffd, drives: await setUp(EXTENDED_ANSWERS) });
    expect(comparable(await factsOf(t, fullDay(ffd)))).toEqual(comparable(await expected));
  });
});

describe.each(BENCHES)("a %s device over protocol %s", (personality, protocol) => {
  it.each(["lose-answer@FF45", `power-cut-after@FF45=${OFF_MS}`])("has registered once what %s left open", async (spec) => {
    const t = await begin({ personality, protocol });
    await t.openShift();
    strike(t, spec);
    const sold = markedDocument([markCode("abcdefghijklm")]);
    const outcome = await t.perform(sold);
    // In protocol 2.0 the same frame with the same number brings the answer again, as long as the device has power.
    expect(outcome.kind).toBe(protocol === "2.0" && spec.startsWith("lose") ? "done" : "in-doubt");
    await t.later(OFF_MS);
    expect(await t.state()).toMatchObject({ lastDocumentNumber: 3, documentOpen: false });
    expect(await t.lookUp(3)).toMatchObject({
      kind: "found",
      reference: "ref-sale",
      facts: { document: "receipt", receipt: { totalKopecks: 20_000 }, markChecks: [15, null] },
    });
    expect((await t.fiscal(receiptDocument())).documentNumber).toBe(4);
  });

  it.each(["lose-request@FF45", `power-cut-before@FF45=${OFF_MS}`])("has registered nothing of what %s left open", async (spec) => {
    const t = await begin({ personality, protocol });
    await t.openShift();
    strike(t, spec);
    const outcome = await t.perform(receiptDocument());
    const mended = protocol === "2.0" && spec.startsWith("lose");
    expect(outcome.kind).toBe(mended ? "done" : "in-doubt");
    await t.later(OFF_MS);
    await t.settled(t.register.abandon(t.deadline));
    expect(await t.state()).toMatchObject({ lastDocumentNumber: mended ? 3 : 2, documentOpen: false });
    expect((await t.fiscal(receiptDocument())).documentNumber).toBe(mended ? 4 : 3);
  });

  it("goes on by itself once it has paper again, and nothing waits for that", async () => {
    const t = await begin({ personality, protocol, printMs: 2_000 });
    await t.openShift();
    strike(t, "paper-out@FF45");
    expect((await t.fiscal(receiptDocument())).documentNumber).toBe(3);
    expect((await t.state()).paper).toBe("out");
    const outcome = await t.perform(receiptDocument());
    expect(outcome).toMatchObject({ kind: "refused", refusal: { code: "no-paper" } });
    t.bench.front.setPaper(true);
    expect((await t.fiscal(receiptDocument())).documentNumber).toBe(4);
    expect(await t.state()).toMatchObject({ paper: "present", documentOpen: false });
  });

  it("is told to print nothing, and needs no paper for a day then", async () => {
    const paper: string[] = [];
    const t = await begin({ personality, protocol, print: "none", paper });
    await t.openShift();
    t.bench.front.setPaper(false);
    for (const document of [cashDocument("cash-in", 10_000), receiptDocument(), correctionDocument(), shiftDocument("close-shift")]) {
      expect((await t.perform(document)).kind).toBe("done");
    }
    expect(paper).toEqual([]);
  });

  it("is told to print again when its address no longer says otherwise", async () => {
    const paper: string[] = [];
    const t = await begin({ personality, protocol, paper, drives: await setUp(SILENT) });
    await t.openShift();
    expect(paper).not.toEqual([]);
  });

  it("opens a shift that somebody has closed at it by itself where the model does, and tells which one the sale is in", async () => {
    const t = await begin({ personality, protocol });
    await t.openShift();
    await t.state();
    await t.device.make(shiftDocument("close-shift"));
    const outcome = await t.perform(receiptDocument());
    if (personality === "cashcore") expect(outcome).toMatchObject({ kind: "done", facts: { documentNumber: 5, shiftNumber: 2 } });
    else expect(outcome).toMatchObject({ kind: "refused", refusal: { code: "shift-closed" } });
    const found = personality === "cashcore" ? [5, "open"] : [3, "closed"];
    const { lastDocumentNumber, shift } = await t.state();
    expect([lastDocumentNumber, shift.kind]).toEqual(found);
  });
});
