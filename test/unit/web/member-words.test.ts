import { expect, it } from "vitest";
import { sayIn } from "../../../src/web/language.ts";
import { entryActorWords } from "../../../src/web/words/member-words.ts";

it.each([
  ["till", "касса", "the till"],
  ["upkeep", "сервер сам", "the server itself"],
  ["admin@shop", "admin@shop", "admin@shop"],
  ["constructor", "constructor", "constructor"],
])("an entry of the ledger by %s is by «%s», in English by “%s”", (actor, russian, english) => {
  expect([entryActorWords(sayIn("ru"), actor), entryActorWords(sayIn("en"), actor)]).toEqual([russian, english]);
});
