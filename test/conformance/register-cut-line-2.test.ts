import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/model/operation.ts";
import { sample } from "../support/extent.ts";
import { asAnswered } from "../support/register-drive.ts";
import type { Cut } from "../support/shtrih-m-cut-line.ts";
import { CutTill } from "../support/shtrih-m-cut-till.ts";
import { cashOperation, SHIFT, saleOperation, shiftOperation } from "../support/till.ts";

const KINDS = {
  sale: (id: string) => saleOperation(id),
  "payment into the drawer": (id: string) => cashOperation("cash-in", id, 12_300),
};

/** An open shift, on a line of protocol 2.0. */
async function ready(): Promise<CutTill> {
  const t = await CutTill.open("2.0");
  await t.done(shiftOperation("open-shift", { shift: { id: SHIFT.id, idType: "native" } }));
  return t;
}

/** Makes one operation over a line that may be cut. Returns what the line has carried and what the device has made. */
async function run(t: CutTill, operation: Operation, cut?: Cut) {
  await t.look();
  await t.drive.made();
  t.line.watch(cut);
  const first = await t.submit(operation);
  const carried = [...t.line.carried];
  expect(t.line.cutWaits).toBe(false);
  await t.line.mend();
  const entry = await t.settled(operation);
  const made = await t.drive.made();
  expect(entry.state).toBe(made.length === 0 ? "refused" : "done");
  if (made[0] !== undefined) expect(entry.facts).toEqual(asAnswered(made[0].facts));
  expect(await t.submit(operation)).toMatchObject({ kind: "done", replayed: made.length === 1 });
  expect(made.length + (await t.drive.made()).length).toBe(1);
  return { first, carried, made };
}

/** A test makes dozens of operations. */
const LONG_MS = 240_000;
/** The number of frames at which `npm test` cuts the line, of about thirty. */
const SHORT_COUNT = 3;

describe("a line of protocol 2.0 over TCP that is cut behind every frame", { timeout: LONG_MS }, () => {
  it("carries nothing but commands and their answers while it holds", async () => {
    const t = await ready();
    const { carried } = await run(t, saleOperation("sound"));
    for (let at = 0; at < carried.length; at += 2) expect(carried[at + 1]).toBe(carried[at]?.replace(">", "<"));
    expect(carried.join(" ")).toMatch(/> 8D < 8D .*> FF46 < FF46 .*> FF45 < FF45/);
  });

  it.each(
    Object.keys(KINDS).flatMap((kind) => [
      { kind, where: "behind", line: "back" } as const,
      { kind, where: "over", line: "back" } as const,
      { kind, where: "behind", line: "out" } as const,
      { kind, where: "over", line: "out" } as const,
    ]),
  )("makes one $kind or none when it is cut $where a frame and $line, and none twice", async ({ kind, ...way }) => {
    const operation = KINDS[kind as keyof typeof KINDS];
    const t = await ready();
    const { carried } = await run(t, operation("sound"));
    const registers = carried.indexOf(kind === "sale" ? "> FF45" : "> 50");
    expect(registers).toBeGreaterThan(0);
    for (const place of sample([...carried.keys()], SHORT_COUNT)) {
      const after = way.where === "over" ? place : place + 1;
      const { first, made } = await run(t, operation(`${way.line} ${after}`), { ...way, after });
      // A line that is back at once loses nothing: the driver asks the device for its number, and sends the rest.
      if (way.line === "back") expect([after, first.kind, made.length]).toEqual([after, "done", 1]);
      else expect([after, made.length]).toEqual([after, after > registers ? 1 : 0]);
    }
  });
});
