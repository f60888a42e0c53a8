import { describe, expect, it } from "vitest";
import { type Browser, type ConsoleScene, consoleScene } from "../../support/console-scene.ts";
import { LOYALTY_KEY, LOYALTY_STORE } from "../../support/loyalty-bench.ts";
import { saleOperation, shiftOperation, Till } from "../../support/till.ts";

/** The benches of payments and of loyalty use the same account. */
const SHOP = { appId: LOYALTY_KEY.appId, accountId: LOYALTY_KEY.accountId };
const HALF_HOUR_MS = 30 * 60_000;

async function scene(): Promise<ConsoleScene & { person: Browser }> {
  const till = await Till.open();
  await till.submitAndWait(shiftOperation("open-shift"), undefined, SHOP);
  const opened = await consoleScene(till);
  const person = opened.browser();
  await person.logIn();
  return { ...opened, person };
}

/** A sale of the programme, as the till states it after its receipt. */
async function soldWithPoints({ loyalty, till }: ConsoleScene, documentId: string): Promise<void> {
  await loyalty.members.enrol(LOYALTY_KEY, { identity: { platformId: "anna" }, personal: { name: "Анна" }, isNative: true });
  await till.store.commit((tx) =>
    tx
      .insertInto("loyalty_orders")
      .values({
        app_id: LOYALTY_KEY.appId,
        account_id: LOYALTY_KEY.accountId,
        type: "sale",
        document_key: documentId,
        content_hash: "",
        store_id: LOYALTY_STORE,
        member_id: null,
        moment_ms: till.trial.clock.nowMs(),
        received_at_ms: till.trial.clock.nowMs(),
        state: "booked",
        paid_kopecks: 10_980,
        spent: 0,
        earned: 5,
        given_back: 0,
        clawed_back: 0,
        sale_key: null,
        sale_id: null,
        programme_version: 0,
        anomalies: null,
        content: null,
      })
      .execute(),
  );
}

describe("what does not match at the console", () => {
  it("is told of points whose sale was not registered within half an hour, and not of those with a receipt", async () => {
    const opened = await scene();
    const { till, person } = opened;
    await till.submitAndWait(saleOperation("registered"), undefined, SHOP);
    await soldWithPoints(opened, "registered");
    await soldWithPoints(opened, "lost");
    expect((await person.get("/")).text).not.toContain("data-unsold-points");
    await till.trial.later(HALF_HOUR_MS + 1);
    const { text } = await person.get("/");
    expect(text).toContain("data-unsold-points");
    expect([text.includes("<td>lost</td>"), text.includes("<td>registered</td>")]).toEqual([true, false]);
  });

  it("is told of no points of an account that registers no sales here", async () => {
    const till = await Till.open();
    const opened = await consoleScene(till);
    const person = opened.browser();
    await person.logIn();
    await soldWithPoints(opened, "lost");
    await till.trial.later(HALF_HOUR_MS + 1);
    expect((await person.get("/")).text).not.toContain("data-unsold-points");
  });

  it("is told of a receipt that was paid by QR where the point of sale has payments and none belongs to it", async () => {
    const { payments, till, person } = await scene();
    const qr = { ...saleOperation("any").payments, cashKopecks: 0, qrKopecks: 10_980 };
    await till.submitAndWait(saleOperation("unpaid", { payments: qr }), undefined, SHOP);
    await till.trial.later(HALF_HOUR_MS + 1);
    expect((await person.get("/")).text).not.toContain("data-unpaid");
    await payments.create({ storeId: "store" });
    const section = /data-unpaid[\s\S]*?<\/section>/.exec((await person.get("/")).text)?.[0] ?? "";
    expect([...section.matchAll(/data-operation="([^"]+)"/g)].map(([, id]) => id)).toEqual(["unpaid"]);
  });
});
