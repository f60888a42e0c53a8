import { describe, expect, it } from "vitest";
import { type StopSignal, stopAtSignals, UNWATCHED_LIMIT_MS } from "../../../src/cli/stop-signals.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

/** A process that can get signals. */
function started(watched: boolean) {
  const clock = new VirtualClock(0);
  const stop = new AbortController();
  const heard = new Map<StopSignal, () => void>();
  const exits: number[] = [];
  stopAtSignals({ on: (signal, hear) => heard.set(signal, hear), exit: (code) => exits.push(code), clock }, stop, watched);
  return { clock, stop, exits, send: (signal: StopSignal) => heard.get(signal)?.() };
}

describe("a command that a signal comes to", () => {
  it("is aborted by the first and ended by the second where it watches for it", async () => {
    const { clock, stop, exits, send } = started(true);
    send("SIGTERM");
    await clock.advance(10 * UNWATCHED_LIMIT_MS);
    expect([stop.signal.aborted, exits]).toEqual([true, []]);
    send("SIGINT");
    expect(exits).toEqual([130]);
  });

  it.each<[StopSignal, number]>([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ])("is ended soon after the first where it does not: %s with %i", async (signal, code) => {
    const { clock, exits, send } = started(false);
    send(signal);
    await clock.advance(UNWATCHED_LIMIT_MS - 1);
    expect(exits).toEqual([]);
    await clock.advance(1);
    expect(exits).toEqual([code]);
  });
});
