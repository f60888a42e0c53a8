import { expect, it } from "vitest";
import { sayIn } from "../../../src/web/language.ts";
import { refusalWords } from "../../../src/web/words/refusal-words.ts";

const told = (words: string) => refusalWords(sayIn("ru"), { code: "cash-short", device: { code: "4E", words } });

it("the words of a device end with one stop, so that what follows them is a sentence of its own", () => {
  expect(told("Мало наличных")).toMatch(/Касса сообщила: Мало наличных\.$/);
  expect(told("Мало наличных.")).toMatch(/Касса сообщила: Мало наличных\.$/);
  expect(told("Мало наличных!")).toMatch(/Касса сообщила: Мало наличных!$/);
});
