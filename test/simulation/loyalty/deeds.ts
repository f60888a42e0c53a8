import type { OrderLine } from "../../../src/loyalty/till-call.ts";
import { importMembers } from "../../../src/loyalty/transfers/import.ts";
import { mergeMembers, undoMerge } from "../../../src/loyalty/transfers/merge.ts";
import { grantPoints } from "../../../src/operator/loyalty/grant-points.ts";
import type { Deed } from "./every-write.ts";
import { ACCOUNT, type LoyaltyServer, STORE } from "./server.ts";
import { KEY } from "./storage.ts";

const DAY_MS = 86_400_000;
const MOMENT = "2026-11-29 11:00:00";
const PHONE = "+79030000001";
/** One row more than one transaction of an import takes, so that the import needs two. */
const TWO_PARTS = 101;

const PROGRAMME = {
  expiry: { kind: "days", days: 30 },
  tiers: [{ name: "silver", fromKopecks: 150_000, window: "rolling", multiplier: 2 }],
  verification: { spending: "always" },
};

export const DEEDS: readonly Deed[] = [
  {
    title: "a sale that spends two lots, makes a debt and lifts into a tier",
    async prepare(server) {
      await shop(server);
      await grant(server, "one", 30);
      await grant(server, "one", 40);
    },
    act: (server) => sell(server, "sale", "one", { spent: 100, earned: 95, pieces: 20 }),
  },
  {
    title: "the sale of a return that has waited for it",
    async prepare(server) {
      await shop(server);
      await grant(server, "one", 100);
      await giveBack(server, "early", "sale", 3);
    },
    act: (server) => sell(server, "sale", "one", { spent: 50, earned: 47, pieces: 10 }),
  },
  {
    title: "a return that restores two lots, one of them over, and claws back what was spent",
    async prepare(server, clock) {
      await shop(server);
      await grant(server, "one", 40);
      await clock.advance(5 * DAY_MS);
      await grant(server, "one", 60);
      await sell(server, "sale", "one", { spent: 100, earned: 45, pieces: 10 });
      await sell(server, "more", "one", { spent: 40, earned: 0, pieces: 10 });
      await clock.advance(27 * DAY_MS);
    },
    act: (server) => giveBack(server, "return", "sale", 7),
  },
  {
    title: "upkeep of points that are over, debts, tiers, returns without a sale and old codes",
    async prepare(server, clock) {
      await shop(server);
      await server.programmes.set(KEY, JSON.stringify({ ...PROGRAMME, activation: { kind: "days", days: 2 } }), "test");
      for (const name of ["one", "two"]) {
        await grant(server, name, 40);
        await sell(server, `rich ${name}`, name, { spent: 0, earned: 100, pieces: 20 });
        await sell(server, `poor ${name}`, name, { spent: 60, earned: 0, pieces: 20 });
      }
      await server.orders.takeReturn({ ...document("alone", 1), saleId: "never" });
      await code(server, "one");
      await clock.advance(400 * DAY_MS);
    },
    act: (server) => server.upkeep.run(),
  },
  {
    title: "a merge of two members with points, a debt and orders",
    prepare: pair,
    act: (server) => merge(server, "merge"),
  },
  {
    title: "a merge that is taken back",
    async prepare(server) {
      await pair(server);
      await merge(server, "merge");
      await sell(server, "between", "two", { spent: 20, earned: 0, pieces: 10 });
    },
    act: (server) => merge(server, "undo"),
  },
  {
    title: "a grant, which a person looks for before it is repeated",
    async prepare(server) {
      await shop(server);
      await sell(server, "debt", "one", { spent: 25, earned: 0, pieces: 10 });
    },
    async act(server) {
      const done = await server.services.store.read((db) =>
        db.selectFrom("loyalty_entries").select("number").where("reason", "=", "by hand").execute(),
      );
      if (done.length === 0) await grant(server, "one", 60, "by hand");
    },
  },
  {
    title: "an import of members new and known, with purchases that lift into a tier",
    prepare: shop,
    act: (server) => takeOver(server, 3),
  },
  {
    title: "an import of more rows than one transaction takes",
    isLarge: true,
    prepare: shop,
    act: (server) => takeOver(server, TWO_PARTS),
  },
  {
    title: "a code for spending and the sale that it confirms",
    async prepare(server) {
      await shop(server);
      await grant(server, "one", 90);
    },
    async act(server) {
      await code(server, "one");
      await server.loyalty.quote(recalc("one", 50));
      await server.quotes.flush();
      await sell(server, "sale", "one", { spent: 50, earned: 47, pieces: 10 });
    },
  },
  {
    title: "a code for somebody who becomes a member by it",
    async prepare() {},
    async act(server) {
      await server.loyalty.customerCode({ account: ACCOUNT, storeId: STORE, identity: {}, address: { phone: PHONE, email: undefined } });
      await server.loyalty.enrol({
        account: ACCOUNT,
        storeId: STORE,
        identity: { platformId: "new", phone: PHONE, card: "100-200" },
        isNative: true,
        personal: { name: "Анна Иванова", phone: PHONE, card: "100-200" },
        check: "done",
      });
    },
  },
  {
    title: "the issue of a gift card",
    prepare: shop,
    act: (server) => server.giftCards.issue(KEY, "card", 50_000),
  },
  {
    title: "a sale to a member that two gift cards pay, one of them in part",
    prepare: withCards,
    act: (server) => sellByCards(server, { platformId: "one" }),
  },
  {
    title: "a sale to nobody that two gift cards pay",
    prepare: withCards,
    act: (server) => sellByCards(server, undefined),
  },
];

async function shop(server: LoyaltyServer): Promise<void> {
  await server.programmes.set(KEY, JSON.stringify(PROGRAMME), "test");
  for (const [index, platformId] of ["one", "two"].entries()) {
    const phone = `+7903000000${index + 1}`;
    await server.members.enrol(KEY, { identity: { platformId, phone }, personal: { name: `Анна ${platformId}`, phone }, isNative: true });
  }
}

async function grant(server: LoyaltyServer, name: string, points: number, reason = "test"): Promise<void> {
  const row = (await server.members.find(KEY, { platformId: name })) ?? missing(name);
  await grantPoints(server, { key: KEY, actor: "test" }, row, { points, reason });
}

function document(documentId: string, pieces: number, discountedKopecks = 10_000) {
  const line: OrderLine = { productId: "goods", quantityMillionths: pieces * 1_000_000, priceKopecks: 10_000, discountedKopecks };
  return { account: ACCOUNT, storeId: STORE, documentId, name: documentId, moment: MOMENT, lines: [line] };
}

async function sell(
  server: LoyaltyServer,
  documentId: string,
  platformId: string,
  { spent, earned, pieces }: { spent: number; earned: number; pieces: number },
): Promise<void> {
  const sold = document(documentId, pieces, 10_000 - (spent * 100) / pieces);
  const result = await server.orders.sale({ ...sold, buyer: { platformId }, spent, earned, giftCards: [] });
  if (result.kind !== "taken") throw new Error(result.kind);
}

async function giveBack(server: LoyaltyServer, documentId: string, saleId: string, pieces: number): Promise<void> {
  const result = await server.orders.takeReturn({ ...document(documentId, pieces, 9_000), saleId });
  if (result.kind !== "taken") throw new Error(result.kind);
}

function recalc(platformId: string, wantedPoints: number) {
  const lines = [{ productId: "goods", quantityMillionths: 10_000_000, priceKopecks: 10_000 }];
  return { account: ACCOUNT, storeId: STORE, buyer: { platformId }, lines, transactionType: "SPENDING" as const, wantedPoints };
}

function code(server: LoyaltyServer, platformId: string) {
  return server.loyalty.saleCode({ account: ACCOUNT, storeId: STORE, identity: { platformId }, address: { phone: undefined } });
}

/** Two members that can be told apart by their points, orders and debts. */
async function pair(server: LoyaltyServer): Promise<void> {
  await shop(server);
  await grant(server, "one", 70);
  await sell(server, "of one", "one", { spent: 0, earned: 45, pieces: 9 });
  await sell(server, "of two", "two", { spent: 30, earned: 0, pieces: 10 });
}

/** Merges member `one` into member `two`, or undoes it. */
async function merge(server: LoyaltyServer, what: "merge" | "undo"): Promise<void> {
  const keptId = (await server.members.find(KEY, { phone: "+79030000002" }))?.id ?? missing("two");
  const rows = await server.services.store.read((db) => db.selectFrom("loyalty_members").select("id").execute());
  const goneId = rows.find(({ id }) => id !== keptId)?.id ?? missing("one");
  const services = { ...server.services, programmes: server.programmes };
  await (what === "merge" ? mergeMembers : undoMerge)(services, KEY, { keptId, goneId }, "test");
}

async function takeOver(server: LoyaltyServer, rows: number): Promise<void> {
  const lines = Array.from({ length: rows }, (_, index) => {
    const phone = `+7903${String(index + 2).padStart(7, "0")}`;
    return JSON.stringify({ key: `row ${index}`, name: "Борис", phone, points: 10 + index, spentKopecks: index === 1 ? 200_000 : 0 });
  });
  const parts = { ...server.services, programmes: server.programmes, members: server.members };
  const result = await importMembers(parts, KEY, lines, { dry: false, actor: "test" });
  if (result.kind !== "imported") throw new Error(result.kind);
}

async function withCards(server: LoyaltyServer): Promise<void> {
  await shop(server);
  await server.giftCards.issue(KEY, "first", 30_000);
  await server.giftCards.issue(KEY, "second", 90_000);
}

async function sellByCards(server: LoyaltyServer, buyer: { platformId: string } | undefined): Promise<void> {
  const giftCards: { cardId: string; name: string; kopecks: number }[] = [];
  for (const [name, kopecks] of [
    ["first", 40_000],
    ["second", 60_000],
  ] as const)
    giftCards.push({ cardId: (await server.giftCards.find(KEY, name))?.id ?? missing(name), name, kopecks });
  const result = await server.orders.sale({
    ...document("sale", 10),
    ...(buyer === undefined ? {} : { buyer }),
    spent: 0,
    earned: 0,
    giftCards,
  });
  if (result.kind !== "taken") throw new Error(result.kind);
}

function missing(what: string): never {
  throw new Error(`${what} is missing`);
}
