import { expect, it } from "vitest";
import { filterOf, withNamedAccount } from "../../../../src/web/console/filter.ts";

const ACCOUNTS = [
  { accountId: "1-a", accountName: "Пекарня «Колос»" },
  { accountId: "2-b", accountName: "Пекарня" },
  { accountId: "3-c", accountName: "Магазин у дома" },
  { accountId: "4-d", accountName: "Двойник" },
  { accountId: "5-e", accountName: "Двойник" },
];

it.each([
  ["the id", "3-c", "3-c"],
  ["the whole name", "Магазин у дома", "3-c"],
  ["a part that one account has", "колос", "1-a"],
  ["a whole name that is a part of another one", "пекарня", "2-b"],
  ["a part that several have", "пек", "пек"],
  ["a name that two have", "Двойник", "Двойник"],
  ["nothing that is known", "constructor", "constructor"],
])("an account is meant by %s: %s", (_, typed, meant) => {
  const filter = filterOf(new Map([["account", typed]]), "Europe/Moscow");
  const named = withNamedAccount(filter, ACCOUNTS);
  expect([named.accountId, named.typed.get("account")]).toEqual([meant, typed]);
});
