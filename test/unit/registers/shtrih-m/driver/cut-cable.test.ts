import { describe, expect, it } from "vitest";
import { MemoryDrive } from "../../../../../src/registers/virtual/drive.ts";
import { receiptDocument, receiptLine, tendersOf } from "../../../../support/register-documents.ts";
import { asAnswered, asFound, DriveReader, type Made } from "../../../../support/register-drive.ts";
import { Trial } from "../../../../support/registers.ts";
import { type ShtrihBench, shtrihBench } from "../../../../support/shtrih-m-bench.ts";

/** One weighed position, so that every command of a receipt goes over the cable once, and no more bytes than that. */
const SALE = receiptDocument({
  reference: "0123456789abcdef",
  lines: [receiptLine({ name: "Сыр", unit: { code: 11, label: "кг" } })],
  tenders: tendersOf({ cashKopecks: 10_100 }),
});

/** FF45 as it goes over the cable: marker, length, code. */
const CLOSING = Buffer.from([0x02, 0x76, 0xff, 0x45]);
const CLOSING_BYTES = 0x76 + 3;

interface Ready {
  t: Trial<ShtrihBench>;
  drive: DriveReader;
}

async function ready(): Promise<Ready> {
  const drives = { drive: new MemoryDrive(), register: new MemoryDrive() };
  const t = await Trial.on((clock) => shtrihBench(clock, { drives }));
  await t.openShift();
  await t.state();
  return { t, drive: new DriveReader(drives.drive, t.device) };
}

async function lengths(): Promise<{ sent: number; received: number; closingAt: number }> {
  const { t } = await ready();
  t.bench.cable.reset();
  await t.fiscal(SALE);
  const { sent, receivedBytes } = t.bench.cable;
  return { sent: sent.length, received: receivedBytes, closingAt: sent.indexOf(CLOSING) };
}

interface Break {
  sent?: number;
  received?: number;
  /** The cable stays out until the document is settled. */
  forGood?: boolean;
}

/**
 * Sells over a cable that breaks, and says what became of it. Whatever the driver tells, in its answer and
 * when it is asked afterwards, is held against what the device itself has in its drive.
 */
async function sellOverBroken({ t, drive }: Ready, whole: Made, { forGood = false, ...cutAfter }: Break): Promise<string> {
  const { cable, port } = t.bench;
  await t.state();
  const before = drive.lastNumber;
  cable.reset(cutAfter);
  cable.whenCut = forGood ? () => port.refuse("кабель вынут") : () => {};
  const outcome = await t.perform(SALE);
  cable.reset();
  port.refuse(undefined);
  if ((await t.state()).documentOpen) await t.settled(t.register.abandon(t.deadline));
  expect(await t.state()).toMatchObject({ lastDocumentNumber: drive.lastNumber, documentOpen: false });

  const [made, ...more] = await drive.made();
  if (more.length > 0) return "registered twice";
  const found = await t.lookUp(before + 1);
  if (made === undefined) expect(found).toEqual({ kind: "absent" });
  else {
    expect(made.requisites).toEqual(whole.requisites);
    expect(found).toEqual({ kind: "found", facts: asFound(made.facts), reference: SALE.reference });
  }
  switch (outcome.kind) {
    case "refused":
      return made === undefined ? "refused" : "refused, but it was made";
    case "done":
      if (made === undefined) return "done, but not in the drive";
      expect(outcome.facts).toEqual(asAnswered(made.facts));
      return "done";
    case "in-doubt":
      return `in doubt, ${made === undefined ? "not made" : "made"}`;
  }
}

/** What became of sales whose cable broke after each byte, and after which ones. */
async function cutEverywhere(count: number, breakAfter: (at: number) => Break): Promise<Map<string, number[]>> {
  const bench = await ready();
  await bench.t.fiscal(SALE);
  const whole = (await bench.drive.made()).at(-1);
  if (whole === undefined) throw new Error("the sale is not in the drive");
  const seen = new Map<string, number[]>();
  for (let at = 0; at < count; at += 1) {
    const result = await sellOverBroken(bench, whole, breakAfter(at));
    seen.set(result, [...(seen.get(result) ?? []), at]);
  }
  return seen;
}

/** Hundreds of sales a test. */
const LONG_MS = 60_000;

describe("a sale over a cable that breaks", { timeout: LONG_MS }, () => {
  it("goes on when the cable is back at once, and is never made twice, whichever byte of the request was the last", async () => {
    const { sent, closingAt } = await lengths();
    const seen = await cutEverywhere(sent, (at) => ({ sent: at }));
    expect([...seen.keys()].sort()).toEqual(["done", "in doubt, not made", "refused"]);
    // Before FF45 there is no doubt; in the middle of its frame the device has nothing yet.
    for (const at of seen.get("in doubt, not made") ?? []) expect(at).toBeGreaterThan(closingAt);
  });

  it("is done when the cable is back at once, whichever byte of the answers was the last", async () => {
    const { received } = await lengths();
    const seen = await cutEverywhere(received, (at) => ({ received: at }));
    expect([...seen.keys()]).toEqual(["done"]);
  });

  it("is refused up to FF45 and in doubt within it when the cable stays out, whichever byte of the request was the last", async () => {
    const { sent, closingAt } = await lengths();
    const seen = await cutEverywhere(sent, (at) => ({ sent: at, forGood: true }));
    expect(Math.max(...(seen.get("refused") ?? []))).toBe(closingAt);
    expect(seen.get("in doubt, not made")).toEqual(Array.from({ length: CLOSING_BYTES - 1 }, (_, at) => closingAt + 1 + at));
    // Made and answered: done, or in doubt where a new minute began before the drive could be asked for the time.
    const made = [...(seen.get("done") ?? []), ...(seen.get("in doubt, made") ?? [])];
    expect(made.sort((a, b) => a - b)).toEqual(
      Array.from({ length: sent - closingAt - CLOSING_BYTES }, (_, at) => closingAt + CLOSING_BYTES + at),
    );
  });

  it("is in doubt for no longer than it takes to look when the answer to FF45 is cut and the cable stays out", async () => {
    const { received } = await lengths();
    const seen = await cutEverywhere(received, (at) => ({ received: at, forGood: true }));
    expect([...seen.keys()].sort()).toEqual(["done", "in doubt, made", "refused"]);
  });
});
