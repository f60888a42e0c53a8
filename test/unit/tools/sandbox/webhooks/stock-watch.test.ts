import { describe, expect, it } from "vitest";
import { Account, FORGETFUL } from "../../../../../src/tools/sandbox/account/account.ts";
import { CATALOGUE } from "../../../../../src/tools/sandbox/types/catalogue.ts";
import type { Stored, Values } from "../../../../../src/tools/sandbox/values/stored.ts";
import { StockWatch } from "../../../../../src/tools/sandbox/webhooks/stock-watch.ts";
import { VirtualClock } from "../../../../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2, 7);

async function watch(plan: "paid" | "free" = "paid") {
  const clock = new VirtualClock(START);
  const account = new Account({ clock, seed: 1, log: FORGETFUL });
  const sent: { url: string; body: unknown }[] = [];
  const stock = new StockWatch(
    { account, catalogue: CATALOGUE, base: () => "https://api.example", clock, settings: { plan } },
    (url, body) => sent.push({ url, body }),
  );
  await account.commit(() =>
    account.put({
      type: "webhookstock",
      id: "hook",
      values: { url: "https://hooks.example/stock", enabled: true, stockType: "stock", reportType: "bystore", version: "1.2" },
    }),
  );
  const sale = (values: Values): Stored => ({
    type: "retaildemand",
    id: "sale",
    values: { applicable: true, positions: [{ id: "1", values: { quantity: 2 } }], ...values },
  });
  return { clock, account, stock, sent, sale };
}

describe("the stock webhook", () => {
  it("is told once, a minute after goods began to move, with the address of the short report", async () => {
    const { clock, account, stock, sent, sale } = await watch();
    stock.see([{ before: undefined, after: sale({}) }]);
    await clock.advance(30_000);
    stock.see([{ before: sale({}), after: undefined }]);
    expect(sent).toEqual([]);
    await clock.advance(30_000);
    expect(sent).toEqual([
      {
        url: "https://hooks.example/stock",
        body: {
          accountId: account.id,
          stockType: "stock",
          reportType: "bystore",
          reportUrl: "https://api.example/api/remap/1.2/report/stock/bystore/current?changedSince=2026-03-02+10%3A00%3A00&stockType=stock",
        },
      },
    ]);
  });

  it("is not told of documents that move nothing", async () => {
    const { clock, stock, sent, sale } = await watch();
    stock.see([{ before: undefined, after: sale({ applicable: false }) }]);
    stock.see([{ before: sale({}), after: sale({ description: "другое" }) }]);
    stock.see([{ before: undefined, after: { type: "product", id: "1", values: {} } }]);
    await clock.advance(120_000);
    expect(sent).toEqual([]);
  });

  it("is not told on the free plan", async () => {
    const { clock, stock, sent, sale } = await watch("free");
    stock.see([{ before: undefined, after: sale({}) }]);
    await clock.advance(120_000);
    expect(sent).toEqual([]);
  });
});
