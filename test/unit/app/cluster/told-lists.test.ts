import { describe, expect, it } from "vitest";
import { MAX_TOLD_BYTES, readSeenRegisters, readViews, writeSeenRegisters, writeViews } from "../../../../src/app/cluster/told-lists.ts";
import { longestTurnWithin, TRIES } from "../../../support/hostile/longest-turn.ts";

const BOUND_MS = 50;

const REGISTERS = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`kassa-${index}`, "reached" as const]));
const viewsOf = (count: number, seen: Record<string, "reached" | "unreachable">) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`agent-${index}`, { epoch: index, sinceMs: 1, rttMs: 2.5, seen }]));
const registersOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    register: `agent:shop-${index}/kassa`,
    reserves: { unsent: index, keysExpireSoon: false },
  }));

async function thrownBy(read: () => Promise<unknown>): Promise<string> {
  return read().then(
    () => "nothing",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}

describe("what a process tells the others", () => {
  it("is read as it was written, also by a process of the version before", async () => {
    const views = viewsOf(3, { kassa: "reached" });
    const written = await writeViews(views);
    expect(JSON.parse(written.toString("utf8"))).toEqual(views);
    expect(Object.fromEntries(await readViews(written))).toEqual(views);
    const registers = registersOf(40);
    const told = await writeSeenRegisters(registers);
    expect(JSON.parse(told.toString("utf8"))).toEqual(registers);
    expect(await readSeenRegisters(told)).toEqual(registers);
  });

  it("may be empty", async () => {
    expect((await readViews(await writeViews({}))).size).toBe(0);
    expect(await readSeenRegisters(await writeSeenRegisters([]))).toEqual([]);
  });

  it("is read from a process of the version before, which writes one line", async () => {
    const views = viewsOf(100, { kassa: "reached" });
    expect(Object.fromEntries(await readViews(Buffer.from(JSON.stringify(views))))).toEqual(views);
    expect(await readSeenRegisters(Buffer.from(JSON.stringify(registersOf(100))))).toEqual(registersOf(100));
  });

  it("leaves other work room, however much it is", async () => {
    const turn = await longestTurnWithin(BOUND_MS, TRIES, async () => {
      const views = await readViews(await writeViews(viewsOf(5_000, REGISTERS)));
      const registers = await readSeenRegisters(await writeSeenRegisters(registersOf(60_000)));
      return [views.size, registers.length];
    });
    expect(turn.result).toEqual([5_000, 60_000]);
    expect(turn.cpuMs).toBeLessThan(turn.allowedMs);
  });

  it.each([
    ["a name a byte", Buffer.from(`{${Array.from({ length: 300_000 }, (_, index) => `"${index}":1`).join()}}`)],
    ["lines of wrong views", Buffer.from(`{${'"a":1,\n'.repeat(1_000_000)}"b":1}`)],
    ["empty lines", Buffer.alloc(MAX_TOLD_BYTES, "\n")],
    ["nested lists", Buffer.from(`{"a":${"[".repeat(4_000_000)}`)],
    ["a view with too many registers", Buffer.from(JSON.stringify({ a: { epoch: 1, seen: { ...REGISTERS, more: "reached" } } }))],
    ["more bytes than a process tells", Buffer.alloc(MAX_TOLD_BYTES + 1, " ")],
  ])("is refused at the first fault: %s", async (_what, body) => {
    const turn = await longestTurnWithin(BOUND_MS, TRIES, () => thrownBy(() => readViews(body)));
    expect(turn.result).toMatch(/^another process tells /);
    expect(turn.cpuMs).toBeLessThan(turn.allowedMs);
    expect(await thrownBy(() => readSeenRegisters(body))).toMatch(/^another process tells /);
  });

  it("ends at its bound, so that the others can read it", async () => {
    const long = "x".repeat(1_000);
    const written = await writeSeenRegisters(
      Array.from({ length: 20_000 }, () => ({ register: long.slice(0, 200), reserves: {}, more: long })),
    );
    expect(written.length).toBeLessThanOrEqual(MAX_TOLD_BYTES);
    expect((await readSeenRegisters(written)).length).toBeGreaterThan(1_000);
  });
});
