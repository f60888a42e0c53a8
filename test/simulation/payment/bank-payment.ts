import type { BankPayment, BankStatus } from "../../../src/acquirers/acquirer.ts";

/** The kinds of bank. Their capabilities differ. */
export type Character =
  /** Knows orders and refunds by their keys, and cannot cancel, like YooKassa. */
  | "keyed"
  /** Finds orders by the server's id and can cancel. A repeated refund is a second refund, like at T-Bank. */
  | "unkeyed";

export interface BankRefund {
  id: string;
  /** The key of the order at a bank that knows keys, otherwise the key of the attempt. */
  key: string;
  amountKopecks: number;
  state: "pending" | "done" | "refused";
}

/** A payment as the bank stores it. */
export interface BankRecord {
  bankId: string;
  orderId: string;
  orderedKopecks: number;
  status: "waiting" | "paid" | "declined" | "expired" | "cancelled";
  /** When the code ends at the bank, and when it should end by the order. */
  endsAtMs: number;
  dueAtMs: number;
  /** When the payment was last read, since the epoch. */
  readAtMs: number;
  /** Whether the buyer's money came. It stays true after the money was returned. */
  paid: boolean;
  refunds: BankRefund[];
  /** The time of the newest attempt at a refund, since the epoch, and the number of attempts. */
  triedAtMs: number;
  attempts: number;
  notificationUrl: string | undefined;
  /** What the bank always shows wrongly of the payment: its status or its amount. */
  shows: { strange: boolean; wrong: boolean };
}

export function sumOf({ refunds }: Pick<BankRecord, "refunds">, state: BankRefund["state"]): number {
  return refunds.filter((refund) => refund.state === state).reduce((sum, { amountKopecks }) => sum + amountKopecks, 0);
}

/** The money that can still be returned. */
export function leftKopecks(record: BankRecord): number {
  return record.orderedKopecks - sumOf(record, "pending") - sumOf(record, "done");
}

/** The payment as a bank of this character describes it. */
export function describe(record: BankRecord, character: Character, odd: { strange: boolean; wrong: boolean }): BankPayment {
  const strange = odd.strange || record.shows.strange;
  const wrong = odd.wrong || record.shows.wrong;
  const status = strange ? "unknown" : statusOf(record, character);
  return {
    bankId: record.bankId,
    status,
    rawStatus: strange ? "NEVER_SEEN" : status.toUpperCase(),
    amountKopecks: record.orderedKopecks + (wrong ? WRONG_KOPECKS : 0),
    currency: "RUB",
    paymentId: record.orderId,
    refundedKopecks: sumOf(record, "done"),
  };
}

const WRONG_KOPECKS = 100;

function statusOf(record: BankRecord, character: Character): BankStatus {
  if (!record.paid) return record.status;
  const done = sumOf(record, "done");
  if (character === "unkeyed" && sumOf(record, "pending") > 0) return "refunding";
  if (done === 0) return "paid";
  return done >= record.orderedKopecks ? "refunded" : "partly refunded";
}
