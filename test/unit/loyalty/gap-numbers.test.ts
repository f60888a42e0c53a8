import { describe, expect, it } from "vitest";
import { MAX_NAMED, namedOfGap } from "../../../src/loyalty/ledger/verify/finding.ts";
import { checkCards } from "../../../src/loyalty/ledger/verify/verify-gift-cards.ts";

const FIRST = Array.from({ length: MAX_NAMED }, (_, at) => 1 + at);

describe("the listed numbers of a gap", () => {
  it.each([
    [1, 0, []],
    [1, 1, [1]],
    [1, MAX_NAMED, FIRST],
    [1, MAX_NAMED + 1, [...FIRST, MAX_NAMED + 1]],
    [1, 10 ** 12, [...FIRST, 10 ** 12]],
  ])("from %i to %i are few", (from, to, numbers) => {
    expect(namedOfGap(from, to)).toEqual(numbers);
  });

  it("stay few when a row of a gift card has a wrong number", () => {
    const card = {
      id: "card",
      app_id: "app",
      account_id: "account",
      name: "card",
      initial_kopecks: 100,
      balance_kopecks: 100,
      expires_at_ms: null,
      entry_number: 10 ** 12,
      entry_hash: "hash",
      issued_at_ms: 0,
    };
    const entry = { card_id: "card", number: 10 ** 12, kind: "issue", kopecks: 100, order_id: null, at_ms: 0, hash: "hash" };
    const missing = checkCards([card], [entry]).filter(({ fault }) => fault.code === "missing");
    expect(missing.map(({ row }) => row)).toEqual([...FIRST, 10 ** 12 - 1].map((number) => `card/${number}`));
  });
});
