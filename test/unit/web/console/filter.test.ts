import { expect, it } from "vitest";
import { filterOf, withNamedAccount } from "../../../../src/web/console/filter.ts";
import { installationsIn } from "../../../../src/web/console/installations-page.ts";

const ACCOUNTS = [
  { accountId: "1-a", accountName: "Пекарня «Колос»" },
  { accountId: "2-b", accountName: "Пекарня" },
  { accountId: "3-c", accountName: "Магазин у дома" },
  { accountId: "4-d", accountName: "Двойник" },
  { accountId: "5-e", accountName: "Двойник" },
  { accountId: "MINE", accountName: "Свой" },
  { accountId: "mine", accountName: "Ничей" },
  { accountId: "Other", accountName: "Чужой" },
];

it.each([
  ["the id", "3-c", "3-c"],
  ["the id in other letters", "3-C", "3-c"],
  ["the id in the letters of one of two", "MINE", "MINE"],
  ["the id in small letters of one of two", "mine", "mine"],
  ["the id in the letters of none", "other", "Other"],
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

it("an installation is found by its account's id in capital letters, whatever letters the id itself has", () => {
  const common = { appId: "app", state: "active" as const, accountName: "Пекарня", hasAccessToken: true, installedAtMs: 0, updatedAtMs: 0 };
  const all = ["small-1", "Mixed-2"].map((accountId) => ({ ...common, accountId }));
  const found = (q: string) => installationsIn(filterOf(new Map([["q", q]]), "Europe/Moscow"), all).map(({ accountId }) => accountId);
  expect([found("SMALL-1"), found("MIXED-2"), found("Mixed-2"), found("MIXED")]).toEqual([["small-1"], ["Mixed-2"], ["Mixed-2"], []]);
});
