import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { retrying } from "../../../src/store/retry.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

describe("trying again what has changed nothing", () => {
  it("stops at the first success and waits longer each time", async () => {
    const clock = new VirtualClock(0);
    const attemptsMs: number[] = [];
    const work = retrying(
      clock,
      () => true,
      async () => {
        attemptsMs.push(clock.monotonicMs());
        if (attemptsMs.length < 4) throw new Error("busy");
        return "done";
      },
    );
    await clock.advance(2_000);
    expect(await work).toBe("done");
    expect(attemptsMs).toEqual([0, 20, 70, 200]);
  });

  it("gives up after six attempts with the last failure", async () => {
    const clock = new VirtualClock(0);
    let attempts = 0;
    const work = retrying(
      clock,
      () => true,
      async () => {
        attempts += 1;
        throw new Error(`busy ${attempts}`);
      },
    );
    const failed = expect(work).rejects.toThrow("busy 6");
    await clock.advance(10_000);
    await failed;
    expect(attempts).toBe(6);
  });

  it("does not try again what may have changed something", async () => {
    let attempts = 0;
    const work = retrying(
      new VirtualClock(0),
      () => false,
      async () => {
        attempts += 1;
        throw new Error("connection lost in the commit");
      },
    );
    await expect(work).rejects.toThrow("connection lost in the commit");
    expect(attempts).toBe(1);
  });

  it("begins no attempt after one and a half seconds, however few there were", async () => {
    const clock = new VirtualClock(0);
    let attempts = 0;
    const work = retrying(
      clock,
      () => true,
      async () => {
        attempts += 1;
        await clock.advance(1_490);
        throw new Error("no answer");
      },
    );
    await expect(work).rejects.toThrow("no answer");
    expect(attempts).toBe(1);
  });

  /** Attempts while another process has SQLite's lock for so long. */
  async function whileLocked(forMs: number): Promise<{ attemptsMs: number[]; ended: string }> {
    const clock = new VirtualClock(0);
    const attemptsMs: number[] = [];
    const work = retrying(
      clock,
      () => true,
      async () => {
        attemptsMs.push(clock.monotonicMs());
        if (clock.monotonicMs() < forMs) throw new Database.SqliteError("database is locked", "SQLITE_BUSY");
        return "done";
      },
    ).catch(String);
    for (let nth = 0; nth < 500; nth += 1) await clock.advance(10);
    return { attemptsMs, ended: await work };
  }

  it("asks for the lock of another process each millisecond, and then in each turn, since the lock has no queue", async () => {
    const { attemptsMs, ended } = await whileLocked(3_900);
    expect(ended).toBe("done");
    expect(attemptsMs.slice(0, 200)).toEqual(Array.from({ length: 200 }, (_, ms) => ms));
    // The clock moves by ten milliseconds at a time.
    expect(new Set(attemptsMs).size).toBeGreaterThanOrEqual(200 + 370);
  });

  it("gives up a lock that another process keeps for more than four seconds", async () => {
    const { attemptsMs, ended } = await whileLocked(10_000);
    expect(ended).toContain("database is locked");
    expect(attemptsMs.at(-1)).toBeLessThanOrEqual(4_010);
  });
});
