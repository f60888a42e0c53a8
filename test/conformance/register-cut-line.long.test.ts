import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/model/operation.ts";
import type { Submitted } from "../../src/operations/submission.ts";
import { asAnswered, type Made } from "../support/register-drive.ts";
import type { Cut } from "../support/shtrih-m-cut-line.ts";
import { CutTill } from "../support/shtrih-m-cut-till.ts";
import { cashOperation, SHIFT, saleOperation, shiftOperation } from "../support/till.ts";

const CASHIER = { lastName: "Иванова", firstName: "Мария", middleName: "Петровна" };
const AT_TEN_PERCENT = { discountPercent: "0", vatPercent: "10", vatEnabled: true, marks: [] };
const NOTHING_ELSE = { qrKopecks: 0, prepaymentCashKopecks: 0, prepaymentCardKopecks: 0, prepaymentQrKopecks: 0, advanceKopecks: 0 };

/**
 * A receipt with two positions, one of them by weight, two payments and a buyer. It uses every command of a receipt,
 * some of them several times.
 */
function trade(kind: "sale" | "sales-return", id: string): Operation {
  const bread = { assortment: { name: "Хлеб" }, quantityMillionths: 2_000_000, priceKopecks: 5_490 };
  const cheese = { assortment: { name: "Сыр" }, unit: { name: "кг", code: "166" }, quantityMillionths: 356_000, priceKopecks: 89_900 };
  return saleOperation(id, {
    kind,
    cashier: CASHIER,
    email: "buyer@example.org",
    positions: [
      { ...bread, ...AT_TEN_PERCENT },
      { ...cheese, ...AT_TEN_PERCENT },
    ],
    payments: { ...NOTHING_ELSE, cashKopecks: 20_000, cardKopecks: 22_984 },
  });
}

function cash(kind: "cash-in" | "cash-out", id: string): Operation {
  return { ...cashOperation(kind, id, 12_300), cashier: CASHIER };
}

function shift(kind: "open-shift" | "close-shift", id: string): Operation {
  return shiftOperation(kind, { shift: { id, idType: "native" }, name: id, cashier: CASHIER });
}

/** A kind of operation, with the commands and tags that identify it. */
interface Kind {
  /** The code of the command that registers. */
  registers: string;
  operation(id: string): Operation;
  before?(t: CutTill, id: string): Promise<void>;
  after?(t: CutTill, id: string): Promise<void>;
  /** The code of the command that begins the document. Given when the questions before it are cut in other kinds often enough. */
  begins?: string;
  /** Tags that differ between two documents of the kind: the server's id, totals that grow, days. */
  own?: readonly number[];
}

const SALE: Kind = { registers: "FF45", operation: (id) => trade("sale", id), own: [1084, 1192] };

const KINDS: [string, Kind][] = [
  ["return", { begins: "8D", registers: "FF45", operation: (id) => trade("sales-return", id), own: [1084, 1192] }],
  ["payment into the drawer", { begins: "11", registers: "50", operation: (id) => cash("cash-in", id) }],
  ["payment out of the drawer", { begins: "51", registers: "51", operation: (id) => cash("cash-out", id) }],
  [
    "opening of the shift",
    {
      begins: "FF41",
      registers: "E0",
      operation: (id) => shift("open-shift", id),
      before: (t) => t.closeShift(),
      after: (t, id) => t.done(shift("close-shift", id)),
    },
  ],
  [
    "closing of the shift",
    {
      begins: "FF42",
      registers: "41",
      operation: (id) => shift("close-shift", id),
      own: [1157, 1213],
      async before(t, id) {
        await t.closeShift();
        await t.done(shift("open-shift", id));
        await t.done({ ...trade("sale", `sale of ${id}`), shift: { id, idType: "native" } });
      },
    },
  ],
];

/** An open shift with enough money in the drawer for all that is paid out. */
async function ready(): Promise<CutTill> {
  const t = await CutTill.open();
  await t.done(shift("open-shift", SHIFT.id));
  await t.done(cashOperation("cash-in", "float", 50_000_000));
  return t;
}

interface Run {
  operation: Operation;
  carried: readonly string[];
  first: Submitted;
  /** The documents that the device has made in the first try and at the repeat. */
  made: Made[];
  again: Made[];
}

/** Makes one operation over a line that may be cut. Then the server settles it, and the platform sends it once more. */
async function run(t: CutTill, kind: Kind, id: string, cut?: Cut): Promise<Run> {
  const operation = kind.operation(id);
  await kind.before?.(t, id);
  expect(await t.look()).toMatchObject({ documentOpen: false });
  await t.drive.made();

  t.line.watch(cut);
  const first = await t.submit(operation);
  const carried = [...t.line.carried];
  expect(t.line.cutWaits).toBe(false);
  await t.line.mend();
  const entry = await t.settled(operation);
  const made = await t.drive.made();
  expect(entry.state).toBe(made.length === 0 ? "refused" : "done");
  if (made[0] !== undefined) {
    expect(made).toHaveLength(1);
    expect(entry.facts).toEqual(asAnswered(made[0].facts));
    if (entry.document.kind === "receipt") expect(made[0].reference).toBe(entry.document.reference);
  }

  expect(await t.submit(operation)).toMatchObject({ kind: "done", replayed: made.length === 1 });
  const again = await t.drive.made();
  expect(made.length + again.length).toBe(1);
  await kind.after?.(t, id);
  return { operation, carried, first, made, again };
}

/** Makes the kind once over an unbroken line, then once for each place at which the line is cut, and in each way. */
async function cutEverywhere(t: CutTill, kind: Kind, ways: readonly Omit<Cut, "after">[]): Promise<void> {
  const sound = await run(t, kind, "sound");
  const [whole] = sound.made;
  const closing = sound.carried.indexOf(`> ${kind.registers}`);
  expect(closing).toBeGreaterThan(0);
  for (const way of ways) {
    for (const after of placesIn(sound.carried, kind, way)) {
      const cut = { ...way, after };
      const { carried, first, made, again } = await run(t, kind, `${way.line} ${way.where} ${after}`, cut);
      const at = `cut ${JSON.stringify(cut)} behind ${carried.slice(0, after).at(-1)}`;
      for (const one of [...made, ...again]) expect(requisites(one, kind), at).toEqual(whole && requisites(whole, kind));
      // Whether the device got the registering command. Only when it did not does the driver send the command again.
      const got = after > closing;
      if (way.line === "out") expect(made, at).toHaveLength(got ? 1 : 0);
      if (got) expect(made, at).toHaveLength(1);
      if (first.kind === "in-doubt") expect({ at, ...way, late: after >= closing }).toMatchObject({ line: "out", late: true });
    }
  }
}

/** Requisites are read one by one with many similar questions. The line is cut at the first and the last of these. */
const ALIKE = "FF3B";

function placesIn(carried: readonly string[], { begins }: Kind, { where }: Omit<Cut, "after">): number[] {
  const begun = begins === undefined ? 0 : carried.indexOf(`> ${begins}`) - GREETING;
  const questions = carried.flatMap((unit, at) => (unit === `> ${ALIKE}` ? [at] : []));
  const from = (questions[0] ?? 0) + EXCHANGE - GREETING;
  const to = (questions.at(-1) ?? 0) - GREETING;
  const places = carried.map((_, at) => (where === "over" ? at : at + 1));
  return places.filter((at) => at >= begun && !(at >= from && at < to));
}

/** The units of an exchange: ENQ and NAK, command, ACK, answer and ACK. */
const EXCHANGE = 6;
const GREETING = 2;

function requisites(made: Made, { own = [] }: Kind): string[] {
  return made.requisites.filter((requisite) => !own.some((tag) => requisite.startsWith(`${tag}: `)));
}

/** Reads a requisite that is a whole number, lowest byte first. */
function sumOf(made: Made | undefined, tag: number): number {
  const hex = made?.requisites.find((requisite) => requisite.startsWith(`${tag}: `))?.split(": ")[1] ?? "";
  return Buffer.from(hex, "hex").reduceRight((sum, byte) => sum * 256 + byte, 0);
}

/** A test makes hundreds of operations. */
const LONG_MS = 240_000;

describe("a line over TCP that is cut behind every byte of control and every frame", { timeout: LONG_MS }, () => {
  it("carries every command of a sale, and the device keeps what was sold", async () => {
    const t = await ready();
    const { carried, made } = await run(t, SALE, "sound");
    const commands = ["8D", "FF0C", "FF0C", "FF0C", "FF46", "FF46", "FF4D", "FF45"];
    expect(carried.join(" ")).toContain(commands.map((code) => `> 05 < 15 > ${code} < 06 < ${code} > 06`).join(" "));
    // 109.80 and 320.04, both at 10 % (1103), 200.00 in cash and the rest by card.
    expect([1020, 1031, 1081, 1103].map((tag) => sumOf(made[0], tag))).toEqual([42_984, 20_000, 22_984, 3_907]);
  });

  it.each([
    { where: "behind", line: "back" },
    { where: "over", line: "back" },
    { where: "behind", line: "out" },
    { where: "over", line: "out" },
  ] as const)(
    "leaves one sale or none, with the facts of the device's own document, when it is cut $where a unit and $line",
    async (way) => {
      await cutEverywhere(await ready(), SALE, [way]);
    },
  );

  it.each(KINDS)("leaves one %s or none, with the facts of the device's own document", async (_, kind) => {
    await cutEverywhere(await ready(), kind, [
      { where: "behind", line: "out" },
      { where: "over", line: "back" },
    ]);
  });
});
