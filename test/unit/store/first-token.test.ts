import { expect, it } from "vitest";
import { firstTokenAt } from "../../../src/store/lease.ts";

it("tokens of a server whose clock is far ahead can still be counted exactly", () => {
  const now = firstTokenAt(Date.UTC(2026, 10));
  expect(firstTokenAt(Date.UTC(2026, 10) + 1)).toBeGreaterThan(now);
  for (const year of [2104, 2106, 2400, 9999]) {
    const ahead = firstTokenAt(Date.UTC(year, 0));
    expect(ahead).toBeGreaterThan(now);
    expect(Number.isSafeInteger(ahead + 2 ** 46)).toBe(true);
  }
});
