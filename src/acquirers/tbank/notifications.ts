import { present } from "../../kernel/present.ts";
import type { AcquirerAccount, BankNotification, NotificationReading } from "../acquirer.ts";
import { readBankJson } from "../bank-json.ts";
import { notificationSchema } from "./schema.ts";
import { isTokenOf } from "./token.ts";

/** The longest notification (qr-acquirers 9). */
const MAX_BYTES = 64 * 1024;
/** Status of a notification about a receipt. This product never orders receipts from the bank. */
const ABOUT_RECEIPT = "RECEIPT";
/** Types of notifications about the binding of an account or a card. */
const ABOUT_BINDING = /^LINK/;

/**
 * Reads a notification. Its token proves it. The token is a hash of the body's root-level scalars and a password of the terminal.
 * Notifications that are not about payments come to the same address (qr-acquirers 4.5).
 */
export function readNotification(
  { body }: BankNotification,
  merchantOf: (terminalKey: string) => string,
  accounts: readonly AcquirerAccount[],
): NotificationReading {
  if (body.length > MAX_BYTES) return { kind: "not-genuine", reason: `more than ${MAX_BYTES} bytes` };
  const json = readBankJson(body);
  if (json.kind === "unreadable") return { kind: "not-genuine", reason: json.problem };
  const read = notificationSchema.safeParse(json.members);
  if (!read.success) return { kind: "not-genuine", reason: "not a notification as documented" };
  const { TerminalKey: terminalKey, Token: token } = read.data;
  const merchant = merchantOf(terminalKey);
  // The secrets of an account are its passwords: the current password, then the former password if the setting has one.
  const passwords = accounts.filter((account) => account.merchant === merchant).flatMap(({ secrets }) => secrets);
  if (passwords.length === 0) return { kind: "not-genuine", reason: "unknown terminal" };
  if (!passwords.some((password) => isTokenOf(token, json.members, password))) return { kind: "not-genuine", reason: "wrong token" };

  const { NotificationType: type, PaymentId: bankId, OrderId: paymentId, Status: status } = read.data;
  const isBinding = type !== undefined && ABOUT_BINDING.test(type);
  if (isBinding || bankId === undefined || status === undefined || status === ABOUT_RECEIPT) {
    return { kind: "other", what: type ?? status ?? "a notification without a payment" };
  }
  return { kind: "payment", proved: true, bankId, status, ...present({ paymentId }) };
}

/**
 * T-Bank repeats a notification, at first hourly, until the answer is 200 with the body `OK`. A notification that is not genuine gets 403
 * (qr-acquirers 9).
 */
export function answerTo(reading: NotificationReading): { status: number; body: string } {
  return reading.kind === "not-genuine" ? { status: 403, body: "" } : { status: 200, body: "OK" };
}
