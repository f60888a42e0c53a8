import { describe, expect, it } from "vitest";
import { descriptionOf } from "../../../src/payments/description.ts";

describe("the description of a payment", () => {
  it.each([
    ["{store}, {receipt}", "Shop", "42", "Shop, 42"],
    ["{store}, {receipt}", "$& $$ $1 {receipt}", "42", "$& $$ $1 {receipt}, 42"],
    ["{receipt} {store}", "Shop {store}", "$&", "$& Shop {store}"],
    ["{store}, {receipt}", "", "42", "42"],
    ["No names", "Shop", "42", "No names"],
  ])("%s with the shop %s and the receipt %s is %s", (template, store, receipt, text) => {
    expect(descriptionOf(template, { store, receipt })).toBe(text);
  });

  it("has at most 140 letters, and cuts none in half", () => {
    expect([...descriptionOf("{store}", { store: "\u{1F6D2}".repeat(200), receipt: "1" })]).toHaveLength(140);
  });
});
