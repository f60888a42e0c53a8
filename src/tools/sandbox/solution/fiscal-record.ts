import type { Account } from "../account/account.ts";
import type { FiscalOperation } from "../caller/fiscal-operation.ts";
import type { Stored, Values } from "../values/stored.ts";

/** The stored type for the result of a till's request. The JSON API does not show it. */
export const FISCAL_RECORD = "fiscalrecord";

/**
 * The state of a till's request. sending: the request has no outcome yet. registered: there is a receipt. refused: the answer has errors or
 * is invalid. in-doubt: the solution does not know whether there is a receipt. unanswered: no answer came. not-sent: the solution was not
 * installed or was suspended.
 */
export type FiscalState = "sending" | "registered" | "refused" | "in-doubt" | "unanswered" | "not-sent";

/**
 * Returns the id of the record: the document's id. The opening and the closing of a shift share one document, so the closing has another
 * id.
 */
function recordId(operation: FiscalOperation, documentId: string): string {
  return operation === "closeshift" ? `${documentId}/close` : documentId;
}

export function recordOf(account: Account, operation: FiscalOperation, documentId: string): Stored | undefined {
  return account.objects.get(FISCAL_RECORD, recordId(operation, documentId));
}

/** Stores a record. Must run inside a commit. */
export function keepRecord(account: Account, operation: FiscalOperation, document: Pick<Stored, "type" | "id">, values: Values): void {
  account.put({
    type: FISCAL_RECORD,
    id: recordId(operation, document.id),
    values: { ...values, operation, documentType: document.type, documentId: document.id },
  });
}
