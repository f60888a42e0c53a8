import { expect, test } from "vitest";
import { isRepeated } from "../../../src/web/words/member-words.ts";
import { isRepeatedRefund } from "../../../src/web/words/payment-words.ts";

type Story = Parameters<typeof isRepeated>[0];
type PaymentStory = Parameters<typeof isRepeatedRefund>[0];

const story: Story = { entries: [{ entry: { kind: "GRANT", points: 50, reason: "подарок", actor: "admin@shop" } }] };

test.each([
  [{ points: 50, reason: "подарок", actor: "admin@shop" }, true],
  [{ points: -50, reason: "подарок", actor: "admin@shop" }, false],
  [{ points: 60, reason: "подарок", actor: "admin@shop" }, false],
  [{ points: 50, reason: "другое", actor: "admin@shop" }, false],
  [{ points: 50, reason: "подарок", actor: "other@shop" }, false],
])("points are a repetition only when the newest entry is the same: %o", (wanted, repeated) => {
  expect(isRepeated(story, wanted)).toBe(repeated);
});

test("nothing is a repetition in an empty ledger", () => {
  expect(isRepeated({ entries: [] }, { points: 1, reason: "", actor: "" })).toBe(false);
});

const refunded = (amountKopecks: number): PaymentStory => ({
  payment: { amountKopecks: 1000 },
  refunds: [{ amountKopecks, state: "done" }],
});

test.each([
  [400, 400, true],
  [400, 300, false],
  [400, undefined, false],
  [1000, undefined, true],
])("a refund is a repetition only when the newest one is the same: %s, then %s", (made, wanted, repeated) => {
  expect(isRepeatedRefund(refunded(made), wanted)).toBe(repeated);
});
