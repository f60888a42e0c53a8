import { expect, it } from "vitest";
import { nextTurn } from "../../../../src/kernel/clock.ts";
import { memberPieces, membersPage } from "../../../../src/web/console/members/members-page.ts";
import { sayIn } from "../../../../src/web/language.ts";
import { ZONE } from "../../../support/registers.ts";

const ACCOUNTS = 90;

it.each(["the export", "a search on the page"])("%s of members lets other work run between two accounts", async (what) => {
  const services = {
    installations: async () =>
      Array.from({ length: ACCOUNTS }, (_, at) => ({
        appId: "app",
        accountId: `account-${at}`,
        state: "active" as const,
        accountName: "",
        hasAccessToken: false,
        installedAtMs: 0,
        updatedAtMs: 0,
      })),
    members: { list: async () => ({ members: [], more: false }), isOn: async () => true },
  };
  const session = { login: "anna", expiresAtMs: 2, csrf: "csrf" };
  const context = { say: sayIn("en"), language: "en" as const, zone: ZONE, nowMs: 1, session };
  let turns = 0;
  let isDone = false;
  const counting = (async () => {
    for (; !isDone; turns += 1) await nextTurn();
  })();
  if (what === "the export") for await (const piece of memberPieces(services, { typed: new Map() })) expect(piece).toEqual([]);
  else await membersPage(services, context, { typed: new Map(), q: "Мария" });
  isDone = true;
  await counting;
  expect(turns).toBeGreaterThanOrEqual(ACCOUNTS - 1);
});
