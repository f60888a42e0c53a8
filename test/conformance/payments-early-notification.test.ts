import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Acquirer, AcquirerKind, BankPayment } from "../../src/acquirers/acquirer.ts";
import { simulated } from "../../src/acquirers/simulated/index.ts";
import { ACCOUNT, PaymentBench } from "../support/payment-bench.ts";
import { APP } from "../support/payment-process.ts";

const BANK_ID = "bank-1";

/** A bank that pays each payment at once, and says so in a notification before it answers `create`. */
class HastyBank {
  readonly calls: string[] = [];
  /** True: the notification names the payment by the server's id too. */
  namesPayment = true;
  /** The next answer to `create` is lost. */
  losesNext = false;
  tell: (paymentId: string) => Promise<unknown> = async () => {};

  get kind(): AcquirerKind {
    return {
      ...simulated,
      name: "hasty",
      parse: (setting) => {
        const parsed = simulated.parse(setting.replace("hasty", "simulated"));
        if (parsed.kind === "invalid") return parsed;
        return { kind: "account", account: { ...parsed.account, acquirer: "hasty", merchant: "hasty", open: () => this.#client() } };
      },
      readNotification: ({ body }) => {
        const named = this.namesPayment ? { paymentId: body.toString() } : {};
        return { kind: "payment", proved: true, bankId: BANK_ID, status: "paid", ...named };
      },
      answerTo: () => ({ status: 200, body: "" }),
    };
  }

  #client(): Acquirer {
    const payment = (status: BankPayment["status"]): BankPayment => ({
      bankId: BANK_ID,
      status,
      rawStatus: status,
      amountKopecks: 25_920,
    });
    return {
      create: async ({ paymentId, amountKopecks }) => {
        this.calls.push("create");
        await this.tell(paymentId);
        if (this.losesNext) {
          this.losesNext = false;
          return { kind: "unknown", problem: "no answer" };
        }
        return { kind: "created", bankId: BANK_ID, qrText: `https://qr.nspk.ru/X?sum=${amountKopecks}` };
      },
      find: async () => {
        this.calls.push("find");
        return { kind: "payment", payment: payment("waiting") };
      },
      read: async () => {
        this.calls.push("read");
        return { kind: "payment", payment: payment("paid") };
      },
      cancel: async () => ({ kind: "not-supported" }),
      refund: async () => ({ kind: "done" }),
      readRefund: async () => ({ kind: "done" }),
      close: async () => {},
    };
  }
}

describe("a notification that comes before the answer to the creation of its payment", () => {
  let bench: PaymentBench;
  let bank: HastyBank;

  beforeEach(async () => {
    bank = new HastyBank();
    bench = await PaymentBench.open({ kinds: [bank.kind], setting: "hasty" });
    const secret = await bench.services.merchants.hookSecret({ appId: APP, accountId: ACCOUNT }, "hasty");
    bank.tell = (paymentId) =>
      bench.notifications.take({
        acquirer: "hasty",
        secret: secret.reveal(),
        headers: {},
        body: Buffer.from(paymentId),
        source: "127.0.0.1",
      });
  });

  afterEach(() => bench.close());

  it.each([true, false])("causes a reading in the same turn (names the payment by the server's id: %s)", async (namesPayment) => {
    bank.namesPayment = namesPayment;
    await bench.create();
    await bench.settled(bench.turns.idle());
    expect(bank.calls).toEqual(["create", "read"]);
    expect((await bench.stored()).payment.state).toBe("paid");
  });

  it("causes a reading when the bank was asked again for the code of a payment whose first answer was lost", async () => {
    bank.losesNext = true;
    await bench.create();
    bank.tell = async () => {};
    await bench.create();
    await bench.settled(bench.turns.idle());
    expect(bank.calls).toEqual(["create", "find", "create", "read"]);
    expect((await bench.stored()).payment.state).toBe("paid");
  });
});
