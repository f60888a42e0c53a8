import { expect, it, onTestFinished } from "vitest";
import type { UnreadableEntry } from "../../../src/journal/reading/unreadable.ts";
import { paymentList } from "../../../src/operator/payments/list-payments.ts";
import { sayIn } from "../../../src/web/language.ts";
import type { PageContext } from "../../../src/web/settings/context.ts";
import { madeEntry, operationsOf } from "../../../src/web/settings/pages.ts";
import { paymentsPage } from "../../../src/web/settings/payments/payments-acts.ts";
import { PaymentBench } from "../../support/payment-bench.ts";
import { ZONE } from "../../support/registers.ts";
import { saleOperation, Till } from "../../support/till.ts";

const OTHER = "another-solution";

function contextOf({ appId, accountId }: { appId: string; accountId: string }): PageContext {
  const session = {
    appId,
    accountId,
    name: "olga@shop",
    role: "admin",
    administrator: true,
    language: "ru",
    expiresAtMs: 0,
    csrf: "",
  } as const;
  const times = { installedAtMs: 0, updatedAtMs: 0 };
  const installation = { appId, accountId, state: "active", accountName: "shop", hasAccessToken: false, ...times } as const;
  return { say: sayIn("ru"), language: "ru", session, installation, mayChange: true, nowMs: 0 };
}

const settings = { of: async () => ({ timeZone: ZONE }) as never };

it("the operations of one solution of an account are shown however many another one has, and its receipt is found", async () => {
  const till = await Till.open();
  await till.openShift();
  await till.submitAndWait(saleOperation("sale-1"));
  const [own] = await till.journal.list({ documentId: "sale-1", limit: 1 });
  if (own === undefined) throw new Error("the journal has no sale");
  const { accountId } = own.key;
  for (let number = 0; number < 20; number += 1)
    await till.submitAndWait(saleOperation(`other-${number}`), undefined, { appId: OTHER, accountId });
  const services = {
    journal: till.journal,
    settings,
    desk: { standing: async () => ({ kind: "register" as const, address: own.register, waiting: 0 }) },
    explain: () => Promise.reject(new Error("no operation is in doubt")),
    doubtWords: () => "",
  };
  const { storeId } = own.operation;
  const shownTo = async (appId: string) => {
    const drawn = await operationsOf(services, contextOf({ appId, accountId }), { id: storeId, place: { appId, accountId, storeId } });
    return Array.from(String(drawn).matchAll(/data-operation="([^"]*)"/g), ([, id]) => id);
  };
  expect(await shownTo(own.key.appId)).toContain("sale-1");
  expect(await shownTo(OTHER)).toHaveLength(20);
  // As many newer entries of other solutions have this document's id as are looked at.
  const { id: _, ...row } = await till.store.read((db) =>
    db.selectFrom("entries").selectAll().where("document_id", "=", "sale-1").executeTakeFirstOrThrow(),
  );
  const copies = Array.from({ length: 20 }, (_, number) => ({ ...row, app_id: `${OTHER}-${number}` }));
  await till.store.commit((tx) => tx.insertInto("entries").values(copies).execute());
  expect((await madeEntry(till, contextOf(own.key), "sale-1", undefined))?.id).toBe(own.id);
  expect((await madeEntry(till, contextOf({ appId: OTHER, accountId }), "sale-1", "sale"))?.id).toBeUndefined();
  const ids = (found: readonly Pick<UnreadableEntry, "key">[]) => found.map(({ key }) => key.appId);
  expect(ids(await till.journal.heads.list({ appId: own.key.appId, documentId: "sale-1", limit: 9 }))).toEqual([own.key.appId]);
});

it("the payments of one solution of an account are shown however many another one has", async () => {
  const bench = await PaymentBench.open();
  onTestFinished(() => bench.close());
  await bench.create({ operationId: "own" });
  const row = await bench.store.read((db) => db.selectFrom("payments").selectAll().executeTakeFirstOrThrow());
  const others = Array.from({ length: 1_100 }, (_, number) => ({
    ...row,
    id: `other-${number}`,
    operation_id: `other-${number}`,
    app_id: OTHER,
    created_at_ms: row.created_at_ms + 1 + number,
  }));
  for (let from = 0; from < others.length; from += 200)
    await bench.store.commit((tx) =>
      tx
        .insertInto("payments")
        .values(others.slice(from, from + 200))
        .execute(),
    );
  const services = { settings, payments: { list: (wish: Parameters<typeof paymentList>[1]) => paymentList(bench, wish) } };
  const shownTo = async (appId: string) => {
    const { content } = await paymentsPage(services, contextOf({ appId, accountId: row.account_id }));
    return Array.from(String(content).matchAll(/data-payment="([^"]*)"/g), ([, id]) => id);
  };
  expect(await shownTo(row.app_id)).toEqual(["own"]);
  expect(await shownTo(OTHER)).toHaveLength(100);
});
