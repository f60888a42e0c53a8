import type { IncomingHttpHeaders } from "node:http";
import type { Announcer } from "./announcer.ts";
import type { Payment } from "./payment.ts";
import type { Payments } from "./payments.ts";

export type Json = Readonly<Record<string, unknown>>;

export interface Call {
  readonly method: string;
  /** The path below `BankApi.root`. It begins with a slash: `/payments`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Reply {
  readonly status: number;
  readonly body: Json;
  /**
   * Whether the call did something at the bank. The faults `lost-answer` and `error-after` apply only to such calls. False for a refused
   * refund, although its attempt is counted.
   */
  readonly changedBank: boolean;
  /** The id of the payment whose code this answer shows for the first time. */
  readonly firstShownPayment?: string;
}

/** Each bank words these errors in a different format. */
export type Trouble = "busy" | "broken" | "too-large" | "wrong-type";

export const TROUBLE_STATUS: Readonly<Record<Trouble, number>> = { busy: 429, broken: 500, "too-large": 413, "wrong-type": 415 };

/** The API of one simulated bank: everything in which the two banks differ. */
export interface BankApi extends Announcer {
  /** The beginning of every path of the API, such as `/v3`. */
  readonly root: string;
  /** The value for the server's setting `acquirer`. */
  readonly setting: string;
  answer(call: Call, payments: Payments): Reply;
  trouble(trouble: Trouble): Json;
  /**
   * Returns the key of a call for the list of received calls. YooKassa: the idempotency key. T-Bank: the order id, or else the payment id.
   * Null: the call names none.
   */
  keyOf(call: Call): string | null;
  statusOf(payment: Payment): string;
  /** Returns the same answer with the amount of each payment or refund, and the sum in its QR code, one rouble too high. */
  withWrongAmount(body: Json): Json;
  /** Returns the same answer with an undocumented payment status. */
  withStrangeStatus(body: Json): Json;
}

/** The error of a wrong amount. One rouble is noticeable, and nearly always stays within the limits of both banks. */
export const WRONG_BY_KOPECKS = 100;

/** Returns the text of a QR code with an amount one rouble too high. The checksum of the text stays as it was. */
export function withWrongSum(text: unknown): unknown {
  return String(text).replace(/sum=(\d+)/, (_, kopecks) => `sum=${Number(kopecks) + WRONG_BY_KOPECKS}`);
}
