import { describe, expect, it } from "vitest";
import { afterNotification, mustSwitchOff, type ReceiverHealth } from "../../../../../src/tools/sandbox/webhooks/switch-off.ts";

/** Judges the receiver after each day. Each character is one day: `x` only failures, `v` only successes, `*` both, `.` no notification. */
function judge(days: string): boolean[] {
  let health: ReceiverHealth = { failed: [] };
  return [...days].map((day, at) => {
    const today = 20_000 + at;
    if (day === "v" || day === "*") health = afterNotification(health, true, today);
    if (day === "x" || day === "*") health = afterNotification(health, false, today);
    return mustSwitchOff(health, today);
  });
}

describe("when a webhook's receiver is given up", () => {
  it.each([
    ["seven days of failures are not enough", "xxxxxxx", false],
    ["eight of ten are", "xxxxxxxx", true],
    ["days without notifications between them count among the ten", "xxxx..xxxx", true],
    ["eight of eleven are not", "xxxx...xxxx", false],
    ["a success within the ten days saves it", "vxxxxxxxxx", false],
    ["a success before them does not", "vxxxxxxxxxx", true],
    ["a day with both is no day of failures only", "*xxxxxxx", false],
    ["many failures of one day are one day", "x", false],
  ])("%s", (_, days, givenUp) => {
    expect(judge(days).at(-1)).toBe(givenUp);
    expect(judge(days).slice(0, -1)).not.toContain(true);
  });

  it("no more is remembered than can count", () => {
    let health: ReceiverHealth = { failed: [] };
    for (let day = 0; day < 100; day += 1) for (let many = 0; many < 3; many += 1) health = afterNotification(health, false, day);
    expect(health).toEqual({ failed: [90, 91, 92, 93, 94, 95, 96, 97, 98, 99] });
  });
});
