import type { Account } from "../account/account.ts";
import type { FiscalOperation } from "../caller/fiscal-operation.ts";
import type { Stored, Values } from "../values/stored.ts";

/** Type under which the account keeps what became of a till's request; it has no address in the JSON API. */
export const FISCAL_RECORD = "fiscalrecord";

/**
 * Where a till's request stands: on its way, registered with a receipt, refused with errors, in doubt (the solution does not
 * know whether there is a receipt), without any answer, or not sent at all.
 */
export type FiscalState = "sending" | "registered" | "refused" | "in-doubt" | "unanswered" | "not-sent";

/** The id of the record: that of the document; the closing of a shift stands beside its opening. */
function recordId(operation: FiscalOperation, documentId: string): string {
  return operation === "closeshift" ? `${documentId}/close` : documentId;
}

export function recordOf(account: Account, operation: FiscalOperation, documentId: string): Stored | undefined {
  return account.objects.get(FISCAL_RECORD, recordId(operation, documentId));
}

/** Keeps a record. Must run inside of a commit. */
export function keepRecord(account: Account, operation: FiscalOperation, document: Pick<Stored, "type" | "id">, values: Values): void {
  account.put({
    type: FISCAL_RECORD,
    id: recordId(operation, document.id),
    values: { ...values, operation, documentType: document.type, documentId: document.id },
  });
}
