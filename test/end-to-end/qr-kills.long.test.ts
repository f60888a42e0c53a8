import { describe, expect, it } from "vitest";
import { pause, systemClock } from "../../src/kernel/clock.ts";
import { EXTENT, sample } from "../support/extent.ts";
import { FLOWS, Flow, type FlowName } from "../support/qr-shop/flows.ts";
import { QrShop, type ShopAcquirer } from "../support/qr-shop/shop.ts";
import { type Strike, Strikes } from "../support/qr-shop/strikes.ts";

/** The server starts a dozen times, and each time its payments stay with the dead process for ten seconds. */
const LIMIT_MS = { short: 400_000, long: 1_800_000 }[EXTENT];
/** Codes live for ten minutes. */
const OVER_EXPIRY_MS = 11 * 60_000;
/** At T-Bank a refund whose answer was lost is tried again after an hour. */
const NEXT_REFUND_MS = 61 * 60_000;
const LOOK_EVERY_MS = 2_000;
const SETTLED_WITHIN_MS = 30_000;
const MOST_HOURS = 4;
const PAID = /succeeded|CONFIRMED|REFUND/;

/**
 * The calls of each client, in the order in which a payment needs them. The simulated acquirer is not called over a line, so only the
 * number of its patterns counts.
 */
const CALLS: Record<ShopAcquirer, readonly RegExp[]> = {
  tbank: [/Init$/, /CheckOrder$/, /GetQr$/, /GetState$/, /Cancel$/, /GetQrState$/],
  yookassa: [/POST .*payments$/, /GET .*payments\/[^/]+$/, /POST .*refunds$/, /GET .*refunds\//],
  simulated: [/a/, /b/, /c/, /d/],
};

/** A strike between every two calls of a payment: before the bank gets a call, and after it has done the work. */
function strikesOf(acquirer: ShopAcquirer): Strike[] {
  return CALLS[acquirer].flatMap((call, at): Strike[] => [
    { call, nth: 1, when: "after" },
    { call, nth: 1 + (at % 3), when: "before" },
  ]);
}

const SHORT_FLOWS: readonly FlowName[] = ["pay", "cancel while paying"];

describe("payments by QR whose server is killed with -9 between its calls to the bank", () => {
  // The tests run at the same time, because they mostly wait for the payments of a dead process.
  it.concurrent.for(sample(["tbank", "simulated", "yookassa"] as const, 1))(
    "end with bank, books and till agreeing at %s",
    { timeout: LIMIT_MS },
    async (acquirer, { onTestFinished }) => {
      const shop = await QrShop.open({ acquirer });
      onTestFinished(() => shop.close());
      const isLong = EXTENT === "long";
      const flows = (isLong ? FLOWS : SHORT_FLOWS).map((name, number) => new Flow(shop, name, number));
      const strikes = new Strikes(shop);
      const plan = strikesOf(acquirer);

      await under(shop, async () => {
        const striking = strikes.strike(isLong ? plan : plan.slice(0, 1));
        await Promise.all(flows.map((flow) => flow.begin()));
        strikes.stop();
        await striking;
      });
      if (isLong) {
        await shop.passes(OVER_EXPIRY_MS);
        await under(shop, async () => {
          const striking = strikes.strike(plan.slice(plan.length / 2));
          await Promise.all(flows.map((flow) => flow.end()));
          strikes.stop();
          await striking;
        });
      }
      expect(strikes.struck.length).toBeGreaterThan(0);

      await settled(shop, flows);
      for (const flow of flows) {
        const { name, told, expected } = await flow.result();
        expect({ name, ended: told.filter((status) => status !== "IN_PROGRESS") }).toEqual({ name, ended: [expected] });
      }
      // The first comparison may find late money before the server's own next reading does. Then a second comparison finds
      // nothing new.
      expect((await looked(shop)).filter(({ result }) => result !== "agrees" && result !== "changed")).toEqual([]);
      expect((await looked(shop)).filter(({ result }) => result !== "agrees")).toEqual([]);
    },
  );
});

async function looked(shop: QrShop): Promise<{ result: string }[]> {
  return (await shop.command("payments", "reconcile")) as { result: string }[];
}

/** Runs the work while a supervisor starts the server again after each death. Afterwards the server is stopped. */
async function under(shop: QrShop, work: () => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const supervised = shop.supervise(stop.signal);
  try {
    await work();
  } finally {
    stop.abort();
    await supervised;
  }
  await shop.kill();
}

/** Refunds need time, at T-Bank hours. At the end the bank's record of each operation must agree with what its till was told. */
async function settled(shop: QrShop, flows: readonly Flow[]): Promise<void> {
  for (let hour = 0; ; hour += 1) {
    await shop.start();
    const endMs = systemClock.monotonicMs() + SETTLED_WITHIN_MS;
    let wrong = await differences(flows);
    while (wrong.length > 0 && systemClock.monotonicMs() < endMs) {
      await pause(systemClock, LOOK_EVERY_MS);
      wrong = await differences(flows);
    }
    if (wrong.length === 0) return;
    if (hour === MOST_HOURS) expect(wrong).toEqual([]);
    await shop.kill();
    await shop.passes(NEXT_REFUND_MS);
  }
}

async function differences(flows: readonly Flow[]): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const flow of flows) {
    const rows = await flow.rows();
    const { expected, returned, name, amount, told } = await flow.result();
    const paid = rows.filter(({ status }) => PAID.test(status));
    const back = rows.reduce((sum, row) => sum + row.refunded, 0);
    const isRight = expected === "DONE" ? paid.length === 1 && back === returned : back === paid.length * amount && paid.length < 2;
    if (told.at(-1) !== expected || (rows.length > 0 && !isRight)) found.push({ name, told, rows });
  }
  return found;
}
