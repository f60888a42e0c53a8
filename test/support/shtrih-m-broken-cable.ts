import { expect } from "vitest";
import type { LowLevelName } from "../../src/registers/shtrih-m/wire/protocol-finder.ts";
import { MemoryDrive } from "../../src/registers/virtual/drive.ts";
import { receiptDocument, receiptLine, tendersOf } from "./register-documents.ts";
import { asAnswered, asFound, DriveReader, type Made } from "./register-drive.ts";
import { Trial } from "./registers.ts";
import { type ShtrihBench, shtrihBench } from "./shtrih-m-bench.ts";

/** A receipt with one weighed position: every command of a receipt goes over the cable once, with as few bytes as possible. */
const SALE = receiptDocument({
  reference: "0123456789abcdef",
  lines: [receiptLine({ name: "Сыр", unit: { code: 11, label: "кг" } })],
  tenders: tendersOf({ cashKopecks: 10_100 }),
});

/** The code and the password of FF45 (shtrih-protocol 5.7). */
const CLOSING = Buffer.from("FF4501000000", "hex");
const CLOSING_DATA_BYTES = 118;
/** The number of bytes of a frame before and behind its data. */
const AROUND = { "1.0": { before: 2, behind: 1 }, "2.0": { before: 5, behind: 2 } };

interface Ready {
  t: Trial<ShtrihBench>;
  drive: DriveReader;
}

async function ready(protocol: LowLevelName): Promise<Ready> {
  const drives = { drive: new MemoryDrive(), register: new MemoryDrive() };
  const t = await Trial.on((clock) => shtrihBench(clock, { drives, protocol }));
  await t.openShift();
  await t.state();
  return { t, drive: new DriveReader(drives.drive, t.device) };
}

/** The number of bytes of a sale over an unbroken cable, in each direction, and the place of the frame of FF45 among the sent bytes. */
export async function lengths(protocol: LowLevelName) {
  const { t } = await ready(protocol);
  t.bench.cable.reset();
  await t.fiscal(SALE);
  const { sent, receivedBytes } = t.bench.cable;
  const { before, behind } = AROUND[protocol];
  const closing = { at: sent.indexOf(CLOSING) - before, bytes: before + CLOSING_DATA_BYTES + behind };
  return { sent: sent.length, received: receivedBytes, closing };
}

/** The numbers of all bytes of a direction that carries `count` bytes. */
export function everyByte(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at);
}

export interface Break {
  sent?: number;
  received?: number;
  /** Whether the cable stays out until the document is settled. */
  forGood?: boolean;
  /** Whether the device loses its power with the cable. Both are back at once. */
  power?: boolean;
}

/**
 * Sells over a cable that breaks, and returns the outcome. The driver's answer and its later look-up are compared with
 * the device's own drive.
 */
async function sellOverBroken({ t, drive }: Ready, whole: Made, { forGood = false, power = false, ...cutAfter }: Break): Promise<string> {
  const { cable, port } = t.bench;
  await t.state();
  const before = drive.lastNumber;
  cable.reset(cutAfter);
  cable.whenCut = () => {
    if (forGood) port.refuse("кабель вынут");
    if (power) for (const on of [false, true]) t.bench.front.setPower(on);
  };
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

/** Sells once for each place, over a cable that breaks there. Returns for each outcome the places at which the cable broke. */
export async function cutAt(
  protocol: LowLevelName,
  places: readonly number[],
  breakAfter: (at: number) => Break,
): Promise<Map<string, number[]>> {
  const bench = await ready(protocol);
  await bench.t.fiscal(SALE);
  const whole = (await bench.drive.made()).at(-1);
  if (whole === undefined) throw new Error("the sale is not in the drive");
  const seen = new Map<string, number[]>();
  for (const at of places) {
    const result = await sellOverBroken(bench, whole, breakAfter(at));
    seen.set(result, [...(seen.get(result) ?? []), at]);
  }
  return seen;
}
