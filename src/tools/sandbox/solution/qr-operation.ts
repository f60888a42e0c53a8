import type { Account } from "../account/account.ts";
import type { QrStatus } from "../caller/qr-answer.ts";
import type { QrCallName } from "../caller/qr-call.ts";
import type { JsonObject } from "../values/json.ts";
import type { Value, Values } from "../values/stored.ts";

/** Types under which the account keeps QR operations and the calls made for them; they have no address in the JSON API. */
const QR_OPERATION = "qroperation";
const QR_CALL = "qrcall";

/** Calls that are kept of one operation: the first, and the newest after it. A till polls for an hour at most. */
const MAX_CALLS = 500;

/**
 * Where the till stands. creating: it asks for the code. polling: it asks for the state. selling: the payment is done and
 * the document is to be made. ended: nothing is left to do.
 */
type QrStep = "creating" | "polling" | "selling" | "ended";

/** A payment at a till, from the request for its code to its end. */
export interface QrOperation {
  readonly id: string;
  readonly retailStoreId: string;
  readonly amount: number;
  /** Whether a document is made on DONE, and of which lines: JSON text, hrefs without their origin. */
  readonly sale: boolean;
  readonly positions: string;
  readonly step: QrStep;
  /** What the state calls told last; IN_PROGRESS before the first of them, REFUSED where there is no payment. */
  readonly status: QrStatus | "REFUSED";
  /** Statuses that state calls answered, in order, without repeats in a row. */
  readonly told: readonly string[];
  readonly data?: string | undefined;
  readonly saleId?: string | undefined;
  /** Why it ended otherwise than by DONE or REJECTED, or without its document. */
  readonly problem?: string | undefined;
  /** Wall clock, in ms. */
  readonly begunMs: number;
  /** Calls of create that came back with an unknown outcome. */
  readonly unclear: number;
  /** Calls made so far. */
  readonly calls: number;
}

/** One call and what came back, as whoever looks on sees it. */
export interface QrCallRecord {
  readonly call: QrCallName;
  /** HTTP status; null: no answer. */
  readonly status: number | null;
  readonly body: Value;
  readonly ms: number;
  /** Why there was no answer. */
  readonly problem?: string | undefined;
}

export function qrOperation(account: Account, id: string): QrOperation | undefined {
  const stored = account.objects.get(QR_OPERATION, id);
  // Only this file writes them.
  return stored === undefined ? undefined : ({ ...stored.values, id } as QrOperation & Values);
}

export function qrOperations(account: Account): readonly QrOperation[] {
  return [...account.objects.all(QR_OPERATION).keys()].flatMap((id) => qrOperation(account, id) ?? []);
}

/** Keeps a new operation, or what changed of one. Must run inside of a commit. */
export function keepQrOperation(account: Account, { id, ...values }: QrOperation): void {
  account.put({ type: QR_OPERATION, id, values: { ...values } });
}

/** Keeps one more call of the operation, and returns the operation with it. Must run inside of a commit. */
export function keepQrCall(account: Account, operation: QrOperation, record: QrCallRecord): QrOperation {
  const { id, calls } = operation;
  account.put({ type: QR_CALL, id: callId(id, calls), values: { ...record } });
  const after = { ...operation, calls: calls + 1 };
  keepQrOperation(account, after);
  const surplus = calls >= MAX_CALLS ? account.objects.get(QR_CALL, callId(id, calls - MAX_CALLS + 1)) : undefined;
  if (surplus !== undefined) account.remove(surplus);
  return after;
}

/** The operation as the sandbox tells of it. */
export function toldQrOperation(account: Account, operation: QrOperation): JsonObject {
  const { id, retailStoreId, amount, step, status, data, saleId, problem } = operation;
  return {
    ...{ operationId: id, retailStoreId, amount, step, data: data ?? null, status },
    told: [...operation.told],
    calls: callsOf(account, operation),
    saleId,
    problem,
  };
}

function callsOf(account: Account, { id, calls }: QrOperation): JsonObject[] {
  const first = Math.max(1, calls - MAX_CALLS + 1);
  const numbers = [0, ...Array.from({ length: Math.max(0, calls - first) }, (_, index) => first + index)];
  return numbers.flatMap((number) => {
    const values = account.objects.get(QR_CALL, callId(id, number))?.values;
    return values === undefined ? [] : [{ ...values } as JsonObject];
  });
}

function callId(operationId: string, number: number): string {
  return `${operationId}/${number}`;
}
