import type { Call } from "../../sandbox/caller/call.ts";
import type { QrCallName } from "../../sandbox/caller/qr-call.ts";
import { qrCall } from "../../sandbox/caller/qr-call.ts";
import { wordsOfChanges } from "../exchanges/changes.ts";
import { CannotRun } from "../exchanges/check-result.ts";
import { parsed, type Sent } from "../exchanges/sent.ts";
import type { Account } from "./account.ts";
import type { QrSide } from "./qr-side.ts";

export interface QrPayment {
  readonly operationId: string;
  readonly amount: number;
}

/** Differences from the platform's call. Null omits a header. */
export interface QrChange {
  /** Values that replace members of the body. `undefined` omits a member. */
  body?: Readonly<Record<string, unknown>>;
  bytes?: Buffer;
  /** The whole Authorization header. Null omits it. */
  authorization?: string | null;
  method?: Call["method"];
  /** The path below the contract's base: `/payment/state`. */
  path?: string;
  contentType?: string | null;
  /** The report's words for a change outside the body, such as another token. */
  label?: string;
}

/** Nobody pays this amount at the simulated bank (payments surface 7). */
export const UNPAID_KOPECKS = 10_02;

const MAX_SHOWN_BYTES = 40;

/** A till of an account with QR payments. Each till has a separate point of sale. */
export class QrTill {
  readonly account: Account;
  readonly side: QrSide;
  readonly storeId: string;

  constructor(account: Account, side: QrSide) {
    this.account = account;
    this.side = side;
    this.storeId = account.services.chance.uuid();
  }

  /** Returns a new payment that the server does not know yet. */
  newPayment(amount: number = UNPAID_KOPECKS): QrPayment {
    return { operationId: this.account.services.chance.uuid(), amount };
  }

  /** Sends one call with a new token. */
  async send(name: QrCallName, { operationId, amount }: QrPayment, change: QrChange = {}): Promise<Sent> {
    const { target, exchanges } = this.account.services;
    const { qr } = target;
    if (qr === undefined) throw new CannotRun("the address of the QR contract is not known: give --base, or a descriptor with qrPayApi");
    const ordinary = { amount, operationId, accountId: this.account.installation.accountId, retailStoreId: this.storeId };
    const { authorization = `Bearer ${this.side.token()}` } = change;
    const call = qrCall(name, ordinary, "");
    const bytes = change.bytes ?? (change.body === undefined ? call.body : Buffer.from(JSON.stringify({ ...ordinary, ...change.body })));
    const contentType = change.contentType === undefined ? "application/json" : change.contentType;
    const changed: Call = {
      method: change.method ?? "POST",
      path: `${qr.path}${change.path ?? call.path.replace(/^\/qr/, "")}`,
      headers: {
        ...(authorization === null ? {} : { authorization }),
        ...(contentType === null ? {} : { "content-type": contentType }),
      },
      ...(change.method === "GET" || bytes === undefined ? {} : { body: bytes }),
    };
    return exchanges.send("qr", qr.origin, changed, labelOf(name, ordinary, bytes, change));
  }
}

function labelOf(name: QrCallName, ordinary: { amount: number }, bytes: Buffer | undefined, change: QrChange): string {
  const { authorization, contentType, label, method } = change;
  const value = bytes === undefined ? undefined : parsed(bytes.toString("utf8"));
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const content = isObject ? wordsOfChanges(ordinary, value) : `the body ${shown(bytes ?? Buffer.alloc(0))}`;
  const words = [
    ...(name === "state" || change.bytes !== undefined || authorization !== undefined ? [] : [`amount ${ordinary.amount}`]),
    method === "GET" ? "" : content,
    ...(label === undefined && authorization !== undefined ? [authorization === null ? "no Authorization" : "another token"] : []),
    ...(contentType === undefined ? [] : [contentType === null ? "no Content-Type" : `Content-Type ${contentType}`]),
    ...(label === undefined ? [] : [label]),
  ];
  return words.filter((word) => word !== "").join(", ");
}

function shown(bytes: Buffer): string {
  if (bytes.length === 0) return "of no bytes";
  return bytes.length > MAX_SHOWN_BYTES ? `of ${bytes.length} bytes` : JSON.stringify(bytes.toString("utf8"));
}
