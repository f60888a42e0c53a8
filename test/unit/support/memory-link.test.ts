import { describe, expect, it } from "vitest";
import { deadlineIn } from "../../../src/kernel/deadline.ts";
import { memoryPair } from "../../support/memory-link.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

describe("a cable in memory", () => {
  it("without a speed gives bytes over at once", async () => {
    const clock = new VirtualClock(0);
    const [near, far] = memoryPair({ clock });
    await near.write(Uint8Array.of(1, 2));
    expect(await far.read(deadlineIn(clock, 0))).toEqual({ kind: "bytes", bytes: Buffer.of(1, 2) });
  });

  it("takes ten bits a byte at the speed of a line, each way for itself", async () => {
    const clock = new VirtualClock(0);
    const [near, far] = memoryPair({ clock, baud: 9_600 });
    const arrivals = Promise.all([far, near].map(async (end) => [await end.read(deadlineIn(clock, 1_000)), clock.monotonicMs()] as const));
    await near.write(Buffer.alloc(96));
    await far.write(Buffer.alloc(48));
    await clock.advance(1_000);
    expect((await arrivals).map(([, atMs]) => atMs)).toEqual([100, 50]);
  });

  it("sends one piece after the other, and is drained behind the last", async () => {
    const clock = new VirtualClock(0);
    const [near] = memoryPair({ clock, baud: 9_600 });
    await near.write(Buffer.alloc(96));
    await near.write(Buffer.alloc(96));
    const drained = near.drain(deadlineIn(clock, 1_000)).then((sent) => ({ sent, atMs: clock.monotonicMs() }));
    await clock.advance(1_000);
    expect(await drained).toEqual({ sent: { kind: "sent" }, atMs: 200 });
  });

  it("gives out what came before the cut, then tells of it", async () => {
    const clock = new VirtualClock(0);
    const [near, far] = memoryPair({ clock });
    await near.write(Uint8Array.of(6));
    near.cut("кабель вынут");
    expect(await far.read(deadlineIn(clock, 0))).toEqual({ kind: "bytes", bytes: Buffer.of(6) });
    expect(await far.read(deadlineIn(clock, 0))).toEqual({ kind: "lost", reason: "кабель вынут" });
    expect(await far.open()).toEqual({ kind: "shut", reason: "кабель вынут" });
  });
});
