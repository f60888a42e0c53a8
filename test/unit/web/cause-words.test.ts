import { expect, test } from "vitest";
import { sayIn } from "../../../src/web/language.ts";
import { causeWords } from "../../../src/web/words/payment-words.ts";

test.each([
  ["create", "касса попросила оплату"],
  ["bank: cancelled", "так ответил банк"],
  ["refund: person; person: the buyer came back", "заказан возврат; «the buyer came back»"],
  ["refund of late money; person: опоздали", "заказан возврат денег, которые пришли поздно; «опоздали»"],
  ["toString", "toString"],
  ["a text of an older version", "a text of an older version"],
])("the cause %j of a payment's move is told in the language of the page", (why, words) => {
  expect(causeWords(sayIn("ru"), why)).toBe(words);
});
