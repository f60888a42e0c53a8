import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/model/operation.ts";
import { REFUSAL_LIMITS } from "../../src/operations/refusal-bound.ts";
import { cashOperation, shiftOperation, Till, textOf } from "../support/till.ts";

const MINUTE_MS = 60_000;
const STEP_MS = 5_000;
const STEPS_A_MINUTE = MINUTE_MS / STEP_MS;
/** Small limits, so that a test exceeds them in milliseconds. */
const FEW = { most: 4, refillMs: MINUTE_MS, names: 100 };
const LIMITS = { ...REFUSAL_LIMITS, writtenPerAccount: FEW, sentInVain: FEW };

/** More than the drawer has, so the register refuses it. */
function tooMuch(id: string): Operation {
  return cashOperation("cash-out", id, 100_000_000);
}

async function told(till: Till, operation: Operation): Promise<string> {
  return textOf(await till.trial.settled(till.submit(operation)));
}

/** A till with money in the drawer, whose account has used up its attempts at cash out. */
async function spent(): Promise<Till> {
  const till = await Till.open({ refusals: LIMITS });
  await told(till, shiftOperation("open-shift"));
  await told(till, cashOperation("cash-in", "in", 1_000));
  for (let nth = 0; nth < FEW.most; nth += 1) expect(await told(till, tooMuch(`first-${nth}`))).toBe("cash-short");
  return till;
}

interface Trade {
  /** The operation of a faulty till at a step. It comes before every operation of the honest till. */
  faulty(step: number): Operation;
  honest: Operation;
  minutes: number;
}

/** Returns the minute in which the honest till's operation was made; it repeats once a minute. Undefined when it was not made. */
async function minuteOf(till: Till, { faulty, honest, minutes }: Trade): Promise<number | undefined> {
  for (let step = 0; step < minutes * STEPS_A_MINUTE; step += 1) {
    await told(till, faulty(step));
    if (step % STEPS_A_MINUTE === 0 && (await told(till, honest)).startsWith("cash-out")) return step / STEPS_A_MINUTE;
    await till.trial.later(STEP_MS);
  }
  return undefined;
}

async function sentInVain(till: Till): Promise<number> {
  const entries = await till.journal.list({ state: "refused", limit: 1_000 });
  const moves = await Promise.all(entries.map(({ id }) => till.journal.moves(id)));
  return moves.flat().filter(({ from, to }) => from === "sending" && to === "refused").length;
}

describe("an honest operation is sent although a faulty till of its account has used up the attempts, where that till sends", () => {
  const honest = cashOperation("cash-out", "honest", 100);

  it("ever new documents, each once", async () => {
    const till = await spent();
    expect(await minuteOf(till, { faulty: (step) => tooMuch(`new-${step}`), honest, minutes: 10 })).toBeLessThanOrEqual(5);
  });

  it("a queue of documents again and again, which the register refuses", async () => {
    const till = await spent();
    const faulty = (step: number) => tooMuch(`first-${step % FEW.most}`);
    expect(await minuteOf(till, { faulty, honest, minutes: 10 })).toBeLessThanOrEqual(3);
  });

  it("ever new documents, and the honest one was refused before, until there was money for it", async () => {
    const till = await Till.open({ refusals: LIMITS });
    await told(till, shiftOperation("open-shift"));
    expect(await told(till, honest)).toBe("cash-short");
    await told(till, cashOperation("cash-in", "in", 1_000));
    for (let nth = 1; nth < FEW.most; nth += 1) await told(till, tooMuch(`first-${nth}`));
    expect(await minuteOf(till, { faulty: (step) => tooMuch(`new-${step}`), honest, minutes: 10 })).toBeLessThanOrEqual(5);
  });

  it("a queue of new documents, each of which it repeats", async () => {
    const till = await spent();
    const faulty = (step: number) => tooMuch(`new-${step % 6}`);
    expect(await minuteOf(till, { faulty, honest, minutes: 30 })).toBeLessThanOrEqual(16);
  });
});

it("the order of held back operations changes nothing about their bound: one attempt a minute", async () => {
  const till = await spent();
  const before = await sentInVain(till);
  const minutes = 10;
  await minuteOf(till, { faulty: (step) => tooMuch(`new-${step % 20}`), honest: tooMuch("too"), minutes });
  const sent = (await sentInVain(till)) - before;
  expect(sent).toBeGreaterThanOrEqual(minutes / 2);
  expect(sent).toBeLessThanOrEqual(minutes);
});
