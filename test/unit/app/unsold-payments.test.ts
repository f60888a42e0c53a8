import { expect, test } from "vitest";
import { paidWithoutSale } from "../../../src/app/pages/unmatched.ts";

type Needs = Parameters<typeof paidWithoutSale>[0];

/** A store whose reads return these pieces of payments, one after the other. */
function storeOf(pieces: readonly (readonly [id: string, state: string])[][]): Needs["store"] {
  const left = [...pieces];
  const row = ([id, state]: readonly [string, string]) => ({
    id,
    state,
    paid_at_ms: 1,
    late_kopecks: null,
    reason: null,
    doubt: null,
    told: null,
  });
  return { read: async () => (left.shift() ?? []).map(row) } as unknown as Needs["store"];
}

test("a payment whose money has gone back waits for no sale", async () => {
  const store = storeOf([
    [
      ["a", "refunded"],
      ["b", "paid"],
      ["c", "partly refunded"],
    ],
  ]);
  expect((await paidWithoutSale({ store }, 20)).map(({ id }) => id)).toEqual(["b", "c"]);
});

test("those that went back hide none behind them", async () => {
  const gone = Array.from({ length: 500 }, (_, number) => [`gone-${number}`, "refunded"] as const);
  const store = storeOf([gone, [["late", "paid"]]]);
  expect((await paidWithoutSale({ store }, 20)).map(({ id }) => id)).toEqual(["late"]);
});
