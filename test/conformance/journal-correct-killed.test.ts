import { beforeEach, describe, expect, it } from "vitest";
import { sample } from "../support/extent.ts";
import { byCard, entryOf, rightFile, runJournal, runMortal } from "../support/journal-correct.ts";
import { once, SCHEMES, Trial } from "../support/registers.ts";
import { saleOperation, Till } from "../support/till.ts";

/** What two corrections commit: each that it is sent, what became of it, and its answer. And what the drive has by then. */
const COMMITS: readonly [commits: number, made: number][] = [
  [0, 0],
  [1, 1],
  [2, 1],
  [3, 1],
  [4, 2],
  [5, 2],
  [6, 2],
];
/** It reads a file before it does anything, in time that no virtual clock has: on a busy machine hundreds of rounds pass meanwhile. */
const MAX_ROUNDS = 5_000;
const ALL = ["open-shift done", "sale done", "correction done", "correction done"];

describe.each(sample(SCHEMES, 1))("journal correct that is killed, at a register that speaks %s", (scheme) => {
  let till: Till;
  let order: string[];

  beforeEach(async () => {
    till = await Till.open({ trial: await Trial.begin(scheme) });
    await till.openShift();
    await till.submitAndWait(saleOperation("sale-1"));
    order = ["correct", "2", "--right", await rightFile(till, 2, byCard), "--yes"];
  });

  /** What would be committed next hangs, and then the process is gone. */
  async function killedAfter(commits: number, next: { recovers: boolean }): Promise<void> {
    const life = { over: false };
    till.stallCommits(commits);
    let ended = false;
    void runMortal(till, life, ...order).then(() => {
      ended = true;
    });
    for (let rounds = 0; !till.isStalled && !ended && rounds < MAX_ROUNDS; rounds += 1) await till.settled();
    expect([till.isStalled, ended]).toEqual([commits < 6, commits === 6]);
    life.over = true;
    await till.killAndRestart(next);
  }

  async function bothOnce(): Promise<void> {
    const { code, err } = await runJournal(till, ...order);
    expect([code, err]).toEqual([0, ""]);
    expect(await till.states()).toEqual(ALL);
    expect(await till.documents()).toBe(5);
    expect([(await entryOf(till, 3)).document.sign, (await entryOf(till, 4)).document.sign]).toEqual([2, 1]);
  }

  it.each(sample(COMMITS, 4))("after commit %i, with %i of them made, registers both once when it is said again", async (commits, made) => {
    await killedAfter(commits, { recovers: false });
    expect(await till.documents()).toBe(3 + made);
    await bothOnce();
  });

  it.each([1, 4])("after commit %i registers both once when a server was started in between", async (commits) => {
    await killedAfter(commits, { recovers: true });
    await bothOnce();
  });

  it("with its register, before that has made anything, registers both once when it is said again", async () => {
    till.trial.inject({ before: once("correction", { kind: "power-cut" }) });
    const cut = await runJournal(till, ...order);
    expect(cut.code).toBe(1);
    await till.killAndRestart({ recovers: false });
    till.trial.device.powerOn();
    await bothOnce();
  });
});
