import { describe, expect, it } from "vitest";
import type { RegisterDocument } from "../../../../../src/model/document.ts";
import type { DocumentFacts } from "../../../../../src/model/facts.ts";
import { EmulatorRegister } from "../../../../../src/registers/emulator/register.ts";
import { VirtualDevice } from "../../../../../src/registers/virtual/device.ts";
import { MemoryDrive } from "../../../../../src/registers/virtual/drive.ts";
import {
  cashDocument,
  receiptDocument,
  receiptLine,
  sampleSale,
  shiftDocument,
  tendersOf,
} from "../../../../support/register-documents.ts";
import { sameChance, Trial, ZONE } from "../../../../support/registers.ts";
import { type ShtrihBenchOptions, shtrihBench } from "../../../../support/shtrih-m-bench.ts";

const MARK = "01046006531059902152CUnq\u001d93Gk30";

const DAY: RegisterDocument[] = [
  shiftDocument("open-shift"),
  cashDocument("cash-in", 200_000),
  sampleSale(),
  sampleSale({ tenders: tendersOf({ cashKopecks: 100_000 }) }),
  sampleSale({
    tenders: tendersOf({ cashKopecks: 40_000, nonCashKopecks: 43_457 }),
    buyerContact: "+79001234567",
    senderEmail: "kassa@example.org",
  }),
  receiptDocument({ tenders: tendersOf({ prepaidKopecks: 4_000, creditKopecks: 3_000, otherKopecks: 3_000 }) }),
  sampleSale({ totalKopecks: 83_400, roundingKopecks: 57, tenders: tendersOf({ cashKopecks: 83_400 }) }),
  receiptDocument({ sign: 2, tenders: tendersOf({ cashKopecks: 10_000 }), originalSign: "1204745171" }),
  receiptDocument({
    sign: 2,
    lines: [receiptLine({ vat: 1, vatKopecks: 1_667 })],
    vatTotals: [{ vat: 1, sumKopecks: 1_667 }],
    tenders: tendersOf({ nonCashKopecks: 10_000 }),
  }),
  receiptDocument({ sign: 3, tenders: tendersOf({ nonCashKopecks: 10_000 }) }),
  receiptDocument({ sign: 4, tenders: tendersOf({ nonCashKopecks: 10_000 }) }),
  receiptDocument({
    taxSystem: "usn-income",
    lines: [receiptLine({ vat: 7, vatKopecks: 476, name: "Наценка «Образец» — 5 ₽" })],
    vatTotals: [{ vat: 7, sumKopecks: 476 }],
  }),
  receiptDocument({ lines: [receiptLine({ mark: MARK, subject: 33 })] }),
  receiptDocument({ address: "г. Образцов, ул. Новая, д. 2", place: "Ларёк" }),
  cashDocument("cash-out", 50_000),
  shiftDocument("close-shift"),
];

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

/**
 * Signs are made over what the drive keeps, where each front leaves its own traces; a device that prints makes
 * the next document wait some seconds; before format 1.2 no register checks marks.
 */
function comparable(facts: DocumentFacts[]): unknown[] {
  return facts.map((one) => {
    const minute = `${one.time.slice(0, -2)}00`;
    if (one.kind === "cash") return { ...one, time: minute };
    const { markChecks, ...rest } = one;
    return { ...rest, time: minute, fiscalSign: "", ...(one.identity.ffd === "1.2" ? { markChecks } : {}) };
  });
}

describe("the virtual device", () => {
  it.each<[string, ShtrihBenchOptions]>([
    ["desktop", {}],
    ["cashcore", { personality: "cashcore" }],
    ["nano", { personality: "nano" }],
    ["of format 1.05", { ffd: "1.05" }],
    ["that prints for two seconds", { printMs: 2_000 }],
    ["that is told to print nothing", { print: "none" }],
  ])("gives the same facts behind its bytes, %s, as behind the emulator", async (_, options) => {
    const near = await Trial.on(async (clock) => {
      const ffd = options.ffd === undefined ? {} : { ffd: options.ffd };
      const { device } = await VirtualDevice.open({
        name: "bench",
        storage: new MemoryDrive(),
        clock,
        chance: sameChance,
        zone: ZONE,
        ...ffd,
      });
      const register = new EmulatorRegister(clock, () => Promise.resolve({ device, close: () => device.close() }));
      return { register, device, seconds: true, restart: () => Promise.reject(new Error("never")) };
    });
    const far = await Trial.on((clock) => shtrihBench(clock, options));
    const expected = comparable(await factsOf(near, DAY));
    const found = comparable(await factsOf(far, DAY));
    for (const [at, facts] of expected.entries()) expect(found[at]).toEqual(facts);
    expect((await far.state()).drawerKopecks).toBe((await near.state()).drawerKopecks);
  });
});
