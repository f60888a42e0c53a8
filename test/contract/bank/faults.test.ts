import { describe, expect, it } from "vitest";
import { FAULT_NAMES, type FaultName } from "../../../src/tools/bank/engine/faults.ts";
import {
  type BankName,
  type Merchant,
  merchantOf,
  type NotificationAddress,
  notificationAddress,
  type TestBank,
  testBank,
  tokenHolds,
} from "../../support/bank.ts";

interface Scene {
  name: BankName;
  bank: TestBank;
  merchant: Merchant;
  address: NotificationAddress;
  /** Sets these faults for every occasion. */
  strike(...names: FaultName[]): Promise<void>;
}

async function scene(name: BankName): Promise<Scene> {
  const address = await notificationAddress();
  const bank = await testBank(name, { notifyUrl: address.url });
  const merchant = merchantOf(name, bank, address.url);
  const strike = async (...names: FaultName[]) => {
    const { status } = await bank.order("PUT", "/faults", Object.fromEntries(names.map((each) => [each, 1])));
    expect(status).toBe(200);
  };
  return { name, bank, merchant, address, strike };
}

/** The effect of each fault, as a merchant and its address for notifications see it. */
const SHOWN: Record<FaultName, (scene: Scene) => Promise<void>> = {
  async "lost-answer"({ bank, merchant, strike, name }) {
    await strike("lost-answer");
    await expect(merchant.create("one")).rejects.toThrow();
    const { body } = await bank.order("GET", "/payments");
    expect(body).toEqual([expect.objectContaining({ orderId: "one" })]);
    expect(await bank.order("GET", "/requests")).toMatchObject({ body: [{ key: "one", status: null }] });
    // The work is done, so its repetition is answered and changes nothing.
    if (name === "yookassa") expect(await merchant.create("one")).toMatchObject({ answers: [{ status: 200 }] });
  },
  async "error-after"({ bank, merchant, strike }) {
    await strike("error-after");
    const { answers } = await merchant.create("one");
    expect(answers[0]?.status).toBe(500);
    expect(await bank.order("GET", "/payments")).toMatchObject({ body: [{ orderId: "one" }] });
  },
  async "error-before"({ bank, merchant, strike }) {
    await strike("error-before");
    const { answers } = await merchant.create("one");
    expect(answers[0]?.status).toBe(500);
    expect(await bank.order("GET", "/payments")).toEqual({ status: 200, body: [] });
  },
  async "slow-answer"({ bank, merchant, strike }) {
    const { id } = await merchant.create("one");
    await strike("slow-answer");
    let isAnswered = false;
    const reading = merchant.read(id).then((read) => {
      isAnswered = true;
      return read;
    });
    const beganMs = bank.clock.monotonicMs();
    while (!isAnswered) await bank.clock.advance(100);
    expect(bank.clock.monotonicMs() - beganMs).toBeGreaterThanOrEqual(4_000);
    expect((await reading).status).toBe(merchant.words.waiting);
  },
  async down({ bank, merchant, strike }) {
    await strike("down");
    await expect(merchant.create("one")).rejects.toThrow();
    expect(await bank.order("GET", "/payments")).toEqual({ status: 200, body: [] });
    expect(await bank.order("GET", "/requests")).toMatchObject({ body: [{ status: null }] });
  },
  async busy({ bank, merchant, strike }) {
    await strike("busy");
    const { answers } = await merchant.create("one");
    expect(answers[0]?.status).toBe(429);
    expect(await bank.order("GET", "/payments")).toEqual({ status: 200, body: [] });
  },
  async "no-notifications"({ bank, merchant, address, strike }) {
    await strike("no-notifications");
    const { id } = await merchant.create("one");
    await bank.order("POST", `/payments/${id}/pay`);
    await bank.clock.advance(86_400_000);
    expect(address.received).toEqual([]);
    await bank.order("POST", `/payments/${id}/notify`);
    expect(await address.until(1)).toHaveLength(1);
  },
  async "double-notifications"({ bank, merchant, address, strike }) {
    await strike("double-notifications");
    const { id } = await merchant.create("one");
    await bank.order("POST", `/payments/${id}/pay`);
    const [first, second] = await address.until(2);
    expect(second).toEqual(first);
  },
  async "early-notifications"({ merchant, address, strike }) {
    await strike("early-notifications");
    const { id, code } = await merchant.create("one");
    expect(address.received).toHaveLength(1);
    expect(code).toContain("sum=25920");
    expect((await merchant.read(id)).status).toBe(merchant.words.paid);
  },
  async "late-payment"({ bank, merchant, address, strike }) {
    const { id } = await merchant.create("one");
    await bank.order("POST", `/payments/${id}/expire`);
    expect((await bank.order("POST", `/payments/${id}/pay`)).status).toBe(409);
    await strike("late-payment");
    expect((await bank.order("POST", `/payments/${id}/pay`)).status).toBe(200);
    expect((await merchant.read(id)).status).toBe(merchant.words.paid);
    await address.until(1);
  },
  async "refund-refused"({ bank, merchant, strike }) {
    const { id } = await merchant.create("one");
    await bank.order("POST", `/payments/${id}/pay`);
    await strike("refund-refused");
    expect((await merchant.refund(id, 10_000)).status).toBe(200);
    await bank.clock.advance(2_000);
    expect(await bank.row(id)).toMatchObject({ status: merchant.words.paid, refunded: 0, refundAttempts: 1 });
  },
  async "strange-status"({ merchant, strike }) {
    const { id } = await merchant.create("one");
    await strike("strange-status");
    const { status } = await merchant.read(id);
    expect(["under_review", "ON_HOLD"]).toContain(status);
  },
  async "wrong-amount"({ bank, merchant, strike }) {
    await strike("wrong-amount");
    const { id, code, amount } = await merchant.create("one");
    expect(amount).toEqual(merchant.words.wrongAmount);
    expect(code).toContain("sum=26020");
    expect(await bank.row(id)).toMatchObject({ amount: 25_920 });
    await strike();
    expect((await merchant.read(id)).amount).toEqual(merchant.words.amount);
  },
  async "new-field"({ name, bank, merchant, address, strike }) {
    await strike("new-field");
    const { id, answers } = await merchant.create("one");
    expect(answers[0]?.body).toHaveProperty("NewField");
    await bank.order("POST", `/payments/${id}/pay`);
    const [notification = {}] = await address.until(1);
    expect(notification).toMatchObject({ NewField: expect.any(String), NewData: { nested: true } });
    if (name === "tbank") expect(tokenHolds(notification, bank.acquirer)).toBe(true);
  },
};

describe.each(["yookassa", "tbank"] as const)("the fake bank %s", (name) => {
  it.each(FAULT_NAMES)("shows what %s is", async (fault) => {
    await SHOWN[fault](await scene(name));
  });

  it("shows none of them when none is set", async () => {
    const { bank, merchant, address } = await scene(name);
    const { id, code, amount } = await merchant.create("one");
    expect(code).toMatch(/^https:\/\/qr\.nspk\.ru\/[0-9A-F]{32}\?type=02&bank=\d{12}&sum=25920&cur=RUB&crc=[0-9A-F]{4}$/);
    expect(amount).toEqual(merchant.words.amount);
    expect(await merchant.read(id)).toMatchObject({ status: merchant.words.waiting });
    await bank.order("POST", `/payments/${id}/pay`);
    expect(await merchant.read(id)).toMatchObject({ status: merchant.words.paid, amount: merchant.words.amount });
    await merchant.refund(id, 5_000);
    await bank.clock.advance(2_000);
    expect(await merchant.read(id)).toMatchObject({ status: merchant.words.refunded, amount: merchant.words.amount });
    expect(await bank.row(id)).toMatchObject({ orderId: "one", amount: 25_920, refunded: 5_000, refundAttempts: 1 });
    expect(await address.until(2)).toHaveLength(2);
  });

  it("strikes the same calls again when seed and calls are the same", async () => {
    const statuses = async () => {
      const bank = await testBank(name, { seed: 7, faults: [{ name: "busy", share: 0.5 }] });
      const merchant = merchantOf(name, bank);
      const seen: number[] = [];
      for (let call = 0; call < 20; call += 1) seen.push((await merchant.read("1")).answer.status);
      return seen;
    };
    const first = await statuses();
    expect(new Set(first).has(429)).toBe(true);
    expect(new Set(first).size).toBe(2);
    expect(await statuses()).toEqual(first);
  });

  it("pays by itself after the time that was stated, and after a cancel or expiry only with late-payment", async () => {
    for (const faults of [[], [{ name: "late-payment", share: 1 }] as const]) {
      const bank = await testBank(name, { payAfterMs: 5_000, faults });
      const merchant = merchantOf(name, bank);
      const [paid, expired] = [await merchant.create("one"), await merchant.create("two")];
      await bank.order("POST", `/payments/${expired.id}/expire`);
      await bank.clock.advance(4_999);
      expect((await merchant.read(paid.id)).status).toBe(merchant.words.waiting);
      await bank.clock.advance(1);
      expect((await merchant.read(paid.id)).status).toBe(merchant.words.paid);
      expect((await merchant.read(expired.id)).status === merchant.words.paid).toBe(faults.length > 0);
    }
  });
});
