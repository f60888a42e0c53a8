import { beforeEach, describe, expect, it } from "vitest";
import { sample } from "../support/extent.ts";
import { byCard, entryOf, rightFile, runJournal, runMortal } from "../support/journal-correct.ts";
import { once, SCHEMES, Trial } from "../support/registers.ts";
import { saleOperation, Till } from "../support/till.ts";

/**
 * The number of commits after which the process dies, and how many of the corrections are in the drive then. Each of two corrections makes
 * three commits: that it is sent, its outcome, and its answer.
 */
const COMMITS: readonly [commits: number, made: number][] = [
  [0, 0],
  [1, 1],
  [2, 1],
  [3, 1],
  [4, 2],
  [5, 2],
  [6, 2],
];
/** The command reads a file first. This takes real time, in which hundreds of rounds may pass on a busy machine. */
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

  /** Lets the process make so many commits. Its next commit hangs, and the process dies in it. */
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
