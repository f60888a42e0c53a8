import { describe, expect, it } from "vitest";
import { nextTurn } from "../../../src/kernel/clock.ts";
import { type TrialSize, WriteProbe } from "../../../src/store/write-probe.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

function scene() {
  const clock = new VirtualClock(0);
  const scene = { clock, commits: 0, sizes: [] as TrialSize[], fails: false, waits: undefined as Promise<void> | undefined };
  const probe = new WriteProbe(clock, async (size) => {
    scene.commits += 1;
    scene.sizes.push(size);
    await scene.waits;
    if (scene.fails) throw new RangeError("full");
  });
  return { scene, clock, probe };
}

describe("the question whether changes can be committed", () => {
  it("costs one commit in five seconds, however often it is asked", async () => {
    const { scene: seen, clock, probe } = scene();
    await Promise.all(Array.from({ length: 100 }, () => probe.ask()));
    await clock.advance(4_900);
    await probe.ask();
    expect(seen.commits).toBe(1);
    await clock.advance(200);
    await Promise.all([probe.ask(), probe.ask()]);
    expect(seen.commits).toBe(2);
  });

  it("is answered by its own commit alone while others commit, because theirs may need less room", async () => {
    const { scene: seen, clock, probe } = scene();
    seen.fails = true;
    for (let second = 0; second < 20; second += 1) {
      probe.committed();
      await expect(probe.ask()).rejects.toThrow("full");
      await clock.advance(1_000);
    }
  });

  it("costs one commit in five seconds also while others commit", async () => {
    const { scene: seen, clock, probe } = scene();
    for (let second = 0; second < 20; second += 1) {
      probe.committed();
      await probe.ask();
      await clock.advance(1_000);
    }
    expect(seen.commits).toBe(4);
  });

  it("is answered no for as long, and asked anew as soon as somebody commits", async () => {
    const { scene: seen, clock, probe } = scene();
    seen.fails = true;
    await expect(probe.ask()).rejects.toThrow("full");
    await clock.advance(4_000);
    await expect(probe.ask()).rejects.toThrow("full");
    expect(seen.commits).toBe(1);
    seen.fails = false;
    probe.committed();
    await probe.ask();
    seen.fails = true;
    await clock.advance(6_000);
    await expect(probe.ask()).rejects.toThrow("full");
    expect(seen.commits).toBe(3);
  });

  it("is put anew as soon as a commit has failed, whatever said yes before", async () => {
    const { scene: seen, clock, probe } = scene();
    for (let times = 0; times < 2; times += 1) {
      seen.fails = false;
      await probe.ask();
      seen.fails = true;
      probe.failed();
      await expect(probe.ask()).rejects.toThrow("full");
      await expect(probe.ask()).rejects.toThrow("full");
      await clock.advance(6_000);
    }
    expect(seen.commits).toBe(4);
  });

  it("takes more room after a failure, until it has been answered yes once", async () => {
    const { scene: seen, clock, probe } = scene();
    await probe.ask();
    probe.failed();
    await probe.ask();
    await clock.advance(6_000);
    seen.fails = true;
    await expect(probe.ask()).rejects.toThrow("full");
    await clock.advance(6_000);
    await expect(probe.ask()).rejects.toThrow("full");
    seen.fails = false;
    for (let times = 0; times < 2; times += 1) {
      await clock.advance(6_000);
      await probe.ask();
    }
    expect(seen.sizes).toEqual(["usual", "much", "usual", "much", "much", "usual"]);
  });

  it("is not answered by a commit that began before another one failed", async () => {
    const { scene: seen, probe } = scene();
    const hangs = Promise.withResolvers<void>();
    seen.waits = hangs.promise;
    const early = probe.ask();
    probe.failed();
    hangs.resolve();
    await early;
    seen.fails = true;
    await expect(probe.ask()).rejects.toThrow("full");
  });

  it("costs one commit in five seconds also where that commit tells of its own failure", async () => {
    const clock = new VirtualClock(0);
    let commits = 0;
    const probe: WriteProbe = new WriteProbe(clock, async () => {
      commits += 1;
      await nextTurn();
      probe.failed();
      throw new RangeError("full");
    });
    for (let asked = 0; asked < 10; asked += 1) await expect(probe.ask()).rejects.toThrow("full");
    expect(commits).toBe(1);
    await clock.advance(5_100);
    await expect(probe.ask()).rejects.toThrow("full");
    expect(commits).toBe(2);
  });

  it("is asked anew where the commit does not end, once in five seconds", async () => {
    const { scene: seen, clock, probe } = scene();
    const hangs = Promise.withResolvers<void>();
    seen.waits = hangs.promise;
    const asked: Promise<void>[] = [];
    for (let second = 0; second < 12; second += 1) {
      asked.push(probe.ask());
      await clock.advance(1_000);
    }
    expect(seen.commits).toBe(3);
    hangs.resolve();
    await Promise.all(asked);
  });
});
