import type { Account } from "../account/account.ts";
import type { QrStatus } from "../caller/qr-answer.ts";
import type { QrCallName } from "../caller/qr-call.ts";
import type { JsonObject } from "../values/json.ts";
import type { Value, Values } from "../values/stored.ts";

/** The types under which the account keeps QR operations and their calls. They have no address in the JSON API. */
const QR_OPERATION = "qroperation";
const QR_CALL = "qrcall";

/** How many calls of one operation are kept: the first call and the newest ones. A till polls for about an hour. */
const MAX_CALLS = 500;

/**
 * The step of the till. creating: the till asks for the code. polling: it asks for the state. selling: the payment is done
 * and the document has to be made. ended: nothing is left to do.
 */
type QrStep = "creating" | "polling" | "selling" | "ended";

/** A payment at a till, from the request for its code to its end. */
export interface QrOperation {
  readonly id: string;
  readonly retailStoreId: string;
  readonly amount: number;
  /** Whether a document is made on DONE. `positions` are its lines as JSON text, with hrefs without their origin. */
  readonly sale: boolean;
  readonly positions: string;
  readonly step: QrStep;
  /** The last status that a state call answered. IN_PROGRESS before the first answer. REFUSED when there is no payment. */
  readonly status: QrStatus | "REFUSED";
  /** The statuses that state calls answered, in order. Equal statuses in a row are kept once. */
  readonly told: readonly string[];
  readonly data?: string | undefined;
  readonly saleId?: string | undefined;
  /** Why the operation ended without DONE or REJECTED, or without its document. */
  readonly problem?: string | undefined;
  /** The moment of the beginning by the wall clock. */
  readonly begunMs: number;
  /** How many answers to create left the outcome unknown. */
  readonly unclear: number;
  /** How many calls were made so far. */
  readonly calls: number;
}

/** One call and its answer, as the sandbox shows them. */
export interface QrCallRecord {
  readonly call: QrCallName;
  /** The HTTP status. Null: there was no answer. */
  readonly status: number | null;
  readonly body: Value;
  readonly ms: number;
  /** Why there was no answer. */
  readonly problem?: string | undefined;
}

export function qrOperation(account: Account, id: string): QrOperation | undefined {
  const stored = account.objects.get(QR_OPERATION, id);
  // Only this file writes these objects, so their form is known.
  return stored === undefined ? undefined : ({ ...stored.values, id } as QrOperation & Values);
}

export function qrOperations(account: Account): readonly QrOperation[] {
  return [...account.objects.all(QR_OPERATION).keys()].flatMap((id) => qrOperation(account, id) ?? []);
}

/** Stores a new operation or a changed one. Must run inside a commit. */
export function keepQrOperation(account: Account, { id, ...values }: QrOperation): void {
  account.put({ type: QR_OPERATION, id, values: { ...values } });
}

/** Stores one more call of the operation. Returns the operation with the new count of calls. Must run inside a commit. */
export function keepQrCall(account: Account, operation: QrOperation, record: QrCallRecord): QrOperation {
  const { id, calls } = operation;
  account.put({ type: QR_CALL, id: callId(id, calls), values: { ...record } });
  const after = { ...operation, calls: calls + 1 };
  keepQrOperation(account, after);
  const surplus = calls >= MAX_CALLS ? account.objects.get(QR_CALL, callId(id, calls - MAX_CALLS + 1)) : undefined;
  if (surplus !== undefined) account.remove(surplus);
  return after;
}

/** The operation as the sandbox answers it. */
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
