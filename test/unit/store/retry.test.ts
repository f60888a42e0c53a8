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
});
