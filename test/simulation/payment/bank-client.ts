import type {
  Acquirer,
  AcquirerKind,
  BankNotification,
  Cancelled,
  Capabilities,
  Created,
  Found,
  NotificationReading,
  PaymentOrder,
  PaymentReading,
  Refunded,
  RefundOrder,
  RefundReading,
} from "../../../src/acquirers/acquirer.ts";
import type { Deadline } from "../../../src/kernel/deadline.ts";
import type { Life } from "../life.ts";
import { type Bank, REFUND_ATTEMPTS } from "./bank.ts";
import type { BankLine } from "./bank-line.ts";

const MINUTE_MS = 60_000;

export interface BankReach {
  bank: Bank;
  line: BankLine;
}

export function capabilitiesOf({ character, lifeMs }: Pick<Bank, "character" | "lifeMs">): Capabilities {
  const keyed = character === "keyed";
  return {
    leastKopecks: 100,
    mostKopecks: 100_000_000,
    expiry: keyed ? { kind: "fixed", lifeMs } : { kind: "chosen", leastMs: MINUTE_MS, mostMs: 1_440 * MINUTE_MS },
    cancelBeforePayment: !keyed,
    partialRefund: true,
    leastRefundKopecks: 1,
    refundIdempotent: keyed,
    ...(keyed ? {} : { refundAttempts: REFUND_ATTEMPTS }),
  };
}

/** The acquirer for one life of a process. When the life ends, every call ends, wherever it is. */
export function bankKind(life: Life, reach: BankReach, changed: Partial<Capabilities>, open: typeof openClient = openClient): AcquirerKind {
  const name = reach.bank.character;
  return {
    name,
    form: name,
    idOfNoPayment: "0",
    fields: [],
    simulated: false,
    parse: () => ({
      kind: "account",
      account: {
        acquirer: name,
        merchant: `${name}:shop`,
        shown: name,
        secrets: [],
        capabilities: { ...capabilitiesOf(reach.bank), ...changed },
        open: () => open(life, reach),
      },
    }),
    readNotification,
    answerTo: () => ({ status: 200, body: "OK" }),
  };
}

export function openClient(life: Life, reach: BankReach): Acquirer {
  return new BankClient(life, reach);
}

/** The body of a notification. `none`: nothing proves that the bank has sent it. `forged`: its token is wrong. */
export interface NoticeBody {
  bankId: string;
  status: string;
  proof: "token" | "none" | "forged";
}

function readNotification({ body }: BankNotification): NotificationReading {
  const { bankId, status, proof }: NoticeBody = JSON.parse(body.toString("utf8"));
  if (proof === "forged") return { kind: "not-genuine", reason: "wrong token" };
  return { kind: "payment", proved: proof === "token", bankId, status };
}

class BankClient implements Acquirer {
  readonly #life: Life;
  readonly #reach: BankReach;

  constructor(life: Life, reach: BankReach) {
    this.#life = life;
    this.#reach = reach;
  }

  create(order: PaymentOrder, deadline: Deadline): Promise<Created> {
    return this.#ask("create", deadline, (bank, late) => bank.create(order, late));
  }

  find(order: PaymentOrder, deadline: Deadline): Promise<Found> {
    return this.#ask("find", deadline, (bank) => bank.find(order));
  }

  read(bankId: string, deadline: Deadline): Promise<PaymentReading> {
    return this.#ask("read", deadline, (bank) => bank.read(bankId));
  }

  async cancel({ bankId }: { bankId: string }, deadline: Deadline): Promise<Cancelled> {
    if (this.#reach.bank.character === "keyed") return { kind: "not-supported" };
    return this.#ask("cancel", deadline, (bank) => bank.cancel(bankId));
  }

  refund(order: RefundOrder, deadline: Deadline): Promise<Refunded> {
    return this.#ask("refund", deadline, (bank) => bank.refund(order));
  }

  readRefund(order: RefundOrder & { bankRefundId?: string }, deadline: Deadline): Promise<RefundReading> {
    return this.#ask("read refund", deadline, (bank) => bank.readRefund(order));
  }

  async close(): Promise<void> {}

  #ask<T>(call: string, deadline: Deadline, act: (bank: Bank, late: boolean) => T) {
    const { bank, line } = this.#reach;
    return this.#life.pass(`bank ${call}`, () => line.ask(deadline, (late) => act(bank, late)));
  }
}
