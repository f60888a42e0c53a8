import type { Account } from "../account/account.ts";
import type { FiscalOperation } from "../caller/fiscal-operation.ts";
import type { Stored, Values } from "../values/stored.ts";

/** The type under which the account keeps the result of a till's request. It has no address in the JSON API. */
export const FISCAL_RECORD = "fiscalrecord";

/**
 * The state of a till's request: being sent, registered with a receipt, refused with errors, in doubt (the solution does not
 * know whether there is a receipt), unanswered, or not sent.
 */
export type FiscalState = "sending" | "registered" | "refused" | "in-doubt" | "unanswered" | "not-sent";

/**
 * Returns the id of the record. It is the id of the document. The closing of a shift has another id, because the opening of
 * the shift uses the same document.
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
