import { describe, expect, it } from "vitest";
import { BankClock } from "../../../../src/tools/bank/engine/bank-clock.ts";
import { Faults } from "../../../../src/tools/bank/engine/faults.ts";
import { Ledger } from "../../../../src/tools/bank/engine/ledger.ts";
import { Payments } from "../../../../src/tools/bank/engine/payments.ts";
import { VirtualClock } from "../../../support/virtual-clock.ts";

describe("the notification of a payment", () => {
  /** A bank with one paid payment, whose notification is due. `log` has what was written and sent, in order. */
  function paidOnce({ isFull }: { isFull: boolean }) {
    const log: string[] = [];
    const append = () => {
      if (isFull) throw new Error("the disk is full");
      log.push("written");
    };
    const payments = new Payments({
      ledger: new Ledger(1, { append, close() {} }, []),
      clock: new BankClock(new VirtualClock(0), 0),
      faults: new Faults([], 1),
      announcer: { announcement: () => "{}", isReceived: () => true, repeatAfterMs: [] },
      payAfterMs: undefined,
      notifyUrl: "https://shop.example/bank",
      deliver: (id) => log.push(`sent ${id}`),
    });
    payments.pay(payments.create({ id: "p1", orderId: null, amountKopecks: 100, expiresAtMs: 1_000, order: { show: "code" } }));
    payments.settle();
    return { payments, log };
  }

  it("is sent after the payment is written", () => {
    const { payments, log } = paidOnce({ isFull: false });
    payments.commit();
    expect(log).toEqual(["written", "sent p1"]);
  });

  it("is not sent when the payment cannot be written", () => {
    const { payments, log } = paidOnce({ isFull: true });
    expect(() => payments.commit()).toThrow("the disk is full");
    expect(log).toEqual([]);
  });
});
