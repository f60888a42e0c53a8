import type { Account } from "../account/account.ts";
import type { QrStatus } from "../caller/qr-answer.ts";
import type { QrCallName } from "../caller/qr-call.ts";
import type { JsonObject } from "../values/json.ts";
import type { Value, Values } from "../values/stored.ts";

/** The stored types for QR operations and their calls. The JSON API does not show them. */
const QR_OPERATION = "qroperation";
const QR_CALL = "qrcall";

/**
 * The maximum number of calls kept for one operation: the first call and the newest calls. A till polls for about an hour, so it can make
 * more calls.
 */
const MAX_CALLS = 500;

/**
 * The till's step. creating: the till requests the code. polling: the till requests the state. selling: the payment is paid, but the
 * document is not made yet. ended: nothing is left to do.
 */
type QrStep = "creating" | "polling" | "selling" | "ended";

export interface QrOperation {
  readonly id: string;
  readonly retailStoreId: string;
  readonly amount: number;
  /** Whether a DONE payment makes a document. `positions` are its lines as JSON, with hrefs without origin. */
  readonly sale: boolean;
  readonly positions: string;
  readonly step: QrStep;
  /** The latest answered status of `state`. IN_PROGRESS before the first answer. REFUSED: there is no payment. */
  readonly status: QrStatus | "REFUSED";
  /** The answered statuses of `state` in order, without repetitions in a row. */
  readonly told: readonly string[];
  readonly data?: string | undefined;
  readonly saleId?: string | undefined;
  /** Why the operation ended without DONE or REJECTED, or without document. */
  readonly problem?: string | undefined;
  /** The start by the wall clock. */
  readonly begunMs: number;
  /** The number of answers to `create` that left the outcome unknown. */
  readonly unclear: number;
  readonly calls: number;
}

/** One call and its answer, for display. */
export interface QrCallRecord {
  readonly call: QrCallName;
  /** The HTTP status. Null: no answer. */
  readonly status: number | null;
  readonly body: Value;
  readonly ms: number;
  /** Why there is no answer. */
  readonly problem?: string | undefined;
}

export function qrOperation(account: Account, id: string): QrOperation | undefined {
  const stored = account.objects.get(QR_OPERATION, id);
  // Only this file writes these objects, so the cast is safe.
  return stored === undefined ? undefined : ({ ...stored.values, id } as QrOperation & Values);
}

export function qrOperations(account: Account): readonly QrOperation[] {
  return [...account.objects.all(QR_OPERATION).keys()].flatMap((id) => qrOperation(account, id) ?? []);
}

/** Stores a new or changed operation. Must run inside a commit. */
export function keepQrOperation(account: Account, { id, ...values }: QrOperation): void {
  account.put({ type: QR_OPERATION, id, values: { ...values } });
}

/** Stores one more call, and returns the operation with the new count. Must run inside a commit. */
export function keepQrCall(account: Account, operation: QrOperation, record: QrCallRecord): QrOperation {
  const { id, calls } = operation;
  account.put({ type: QR_CALL, id: callId(id, calls), values: { ...record } });
  const after = { ...operation, calls: calls + 1 };
  keepQrOperation(account, after);
  const surplus = calls >= MAX_CALLS ? account.objects.get(QR_CALL, callId(id, calls - MAX_CALLS + 1)) : undefined;
  if (surplus !== undefined) account.remove(surplus);
  return after;
}

/** Returns the operation for display. */
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
