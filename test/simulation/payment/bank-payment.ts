import type { BankPayment, BankStatus } from "../../../src/acquirers/acquirer.ts";

/** How a kind of bank behaves, as its capabilities say. */
export type Character =
  /** Knows its orders and refunds by their keys, and cannot cancel: as YooKassa. */
  | "keyed"
  /** Finds orders by our id, cancels, and makes a second refund of a repeated one: as T-Bank. */
  | "unkeyed";

export interface BankRefund {
  id: string;
  /** Of the order at a bank that knows keys; of the attempt elsewhere. */
  key: string;
  amountKopecks: number;
  state: "pending" | "done" | "refused";
}

/** A payment as the bank has it. */
export interface BankRecord {
  bankId: string;
  orderId: string;
  orderedKopecks: number;
  status: "waiting" | "paid" | "declined" | "expired" | "cancelled";
  /** The end of the code at the bank, and the one that was ordered. */
  endsAtMs: number;
  dueAtMs: number;
  /** When it was read at last, since the epoch. */
  readAtMs: number;
  /** The buyer's money came: from then on it is here or was returned. */
  paid: boolean;
  refunds: BankRefund[];
  /** Since the epoch, of the newest attempt at a refund, and how many there were. */
  triedAtMs: number;
  attempts: number;
  notificationUrl: string | undefined;
  /** The bank shows something else than what it has: for ever, not in one reading. */
  shows: { strange: boolean; wrong: boolean };
}

export function sumOf({ refunds }: Pick<BankRecord, "refunds">, state: BankRefund["state"]): number {
  return refunds.filter((refund) => refund.state === state).reduce((sum, { amountKopecks }) => sum + amountKopecks, 0);
}

/** What may still be returned. */
export function leftKopecks(record: BankRecord): number {
  return record.orderedKopecks - sumOf(record, "pending") - sumOf(record, "done");
}

/** The payment as the bank describes it, by its character. */
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
