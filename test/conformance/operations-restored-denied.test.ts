import { describe, expect, it } from "vitest";
import { pause } from "../../src/kernel/clock.ts";
import type { LookUp, Register } from "../../src/registers/register.ts";
import { sample } from "../support/extent.ts";
import { SCHEMES, Trial } from "../support/registers.ts";
import { copyOf, restore } from "../support/restored.ts";
import { saleOperation, Till, textOf } from "../support/till.ts";

/** More turns than those in which the server refuses operations because of documents that the register does not give. */
const MANY_TURNS = 10;
/** The number (ФД) of the first lost document. The shift's opening has number 2, and a sale before the copy has number 3. */
const FIRST_LOST = 4;
const LOST_SALES = 10;
const LAST = FIRST_LOST + LOST_SALES - 1;

const DENIED: LookUp = { kind: "absent" };
const NOT_GIVEN: LookUp = { kind: "unreachable", reason: "архив" };

interface Scene {
  till: Till;
  /** The register's answers in place of these documents. */
  instead: Map<number, LookUp>;
  /** The numbers of the documents that the register was asked for, in order. */
  asked: number[];
}

/** `slowMs`: how late the register answers when it does not give a document. */
async function scene(scheme: string, slowMs = 0): Promise<Scene> {
  const instead: Scene["instead"] = new Map();
  const asked: number[] = [];
  const trial = await Trial.begin(scheme);
  const line = (register: Register): Register => ({
    identity: (deadline) => register.identity(deadline),
    inspect: (deadline) => register.inspect(deadline),
    perform: (document, deadline) => register.perform(document, deadline),
    async lookUp(number, deadline) {
      asked.push(number);
      const answer = instead.get(number);
      if (answer !== undefined && slowMs > 0) await pause(trial.clock, slowMs);
      return answer ?? register.lookUp(number, deadline);
    },
    abandon: (deadline) => register.abandon(deadline),
    close: () => register.close(),
  });
  return { till: await Till.open({ trial, line }), instead, asked };
}

async function sell(till: Till, id: string): Promise<string> {
  return textOf(await till.submitAndWait(saleOperation(id)))
    .split(" ")
    .slice(0, 2)
    .join(" ");
}

/** Makes one sale before the copy, and ten that the copy lacks, `sale-1` to `sale-10`. Then the copy is restored. */
async function lose(made: Scene, count = LOST_SALES): Promise<void> {
  const { till } = made;
  await till.openShift();
  await sell(till, "sale-0");
  const copy = await copyOf(till.store);
  for (let nth = 1; nth <= count; nth += 1) await sell(till, `sale-${nth}`);
  await restore(till.store, copy);
  await till.killAndRestart();
}

/** The answers to a sale that is repeated as often as a cashier may. */
async function repeated(till: Till, id: string): Promise<string[]> {
  const answers: string[] = [];
  for (let turn = 1; turn <= MANY_TURNS; turn += 1) answers.push(await sell(till, id));
  return answers;
}

function numbersFrom(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, at) => first + at);
}

const WAYS = [
  ["denies", DENIED],
  ["does not give", NOT_GIVEN],
] as const;

const COUNTS = WAYS.flatMap(([how, answer]) => [1, 2, 3, 5, 9].map((count) => [how, count, answer] as const));

describe.each(sample(SCHEMES.slice(0, 2), 1))("a sale that a restored copy lacks, %s", (scheme) => {
  it.each(COUNTS)("is found behind documents which the register %s, %i in a row", async (_how, count, answer) => {
    const made = await scene(scheme);
    await lose(made);
    for (const number of numbersFrom(FIRST_LOST, count)) made.instead.set(number, answer);
    expect(new Set(await repeated(made.till, "sale-10"))).toEqual(new Set([`receipt ${LAST}`]));
    expect(await made.till.documents()).toBe(LAST);
  });

  it.each(WAYS)("is found between documents which the register %s", async (_how, answer) => {
    const made = await scene(scheme);
    await lose(made);
    for (const number of numbersFrom(FIRST_LOST, LOST_SALES)) if (number !== 9) made.instead.set(number, answer);
    expect(new Set(await repeated(made.till, "sale-6"))).toEqual(new Set(["receipt 9"]));
    expect(await made.till.documents()).toBe(LAST);
  });

  it.each(WAYS)("is waited for where it is the one which the register %s, and is found once it is given", async (_how, answer) => {
    const made = await scene(scheme);
    await lose(made);
    for (const number of numbersFrom(LAST - 3, 4)) made.instead.set(number, answer);
    for (let turn = 1; turn <= 4; turn += 1) expect(await sell(made.till, "sale-10")).toBe("register-unreachable");
    made.instead.delete(LAST);
    expect(await sell(made.till, "sale-10")).toBe(`receipt ${LAST}`);
    expect(await made.till.documents()).toBe(LAST);
  });

  it.each(WAYS)("does not stop the till for ever where the register %s them all", async (_how, answer) => {
    const made = await scene(scheme);
    await lose(made);
    for (const number of numbersFrom(1, LAST)) made.instead.set(number, answer);
    const answers = await repeated(made.till, "sale-new");
    expect(answers.slice(0, 5)).toEqual(Array(5).fill("register-unreachable"));
    expect(answers.slice(5)).toEqual(Array(5).fill(`receipt ${LAST + 1}`));
  });
});

describe("documents that a register gives so late that one turn cannot ask for all", () => {
  it("are all asked for before one of them counts as unreadable", async () => {
    const made = await scene(SCHEMES[0] ?? "", 4_000);
    await lose(made, 40);
    for (const number of numbersFrom(FIRST_LOST, 39)) made.instead.set(number, NOT_GIVEN);
    const answers: string[] = [];
    while (answers.at(-1) !== "receipt 43" && answers.length < 40) {
      answers.push(await sell(made.till, "sale-40"));
      await made.till.settled();
    }
    expect(answers.at(-1)).toBe("receipt 43");
    expect(await made.till.documents()).toBe(43);
  });
});
