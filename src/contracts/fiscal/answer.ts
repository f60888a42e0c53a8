import type { FiscalFacts } from "../../model/facts.ts";
import type { DoneOperation } from "../../operations/submission.ts";

/** Cash in and cash out are no fiscal documents, so they have neither number nor sign (interface 5). */
const NO_NUMBER = "0";

/**
 * The body of a successful answer. Its fields stand in the order of the contract's documentation. The body depends only on the arguments:
 * the same facts and the same receipt give the same bytes. All values are texts except the two totals of a closed shift.
 */
export function answerOf({ facts, receipt }: DoneOperation): Buffer {
  const body = {
    fnNumber: facts.identity.driveNumber,
    kktRegNumber: facts.identity.registrationNumber,
    fiscalDocNumber: facts.kind === "fiscal" ? String(facts.documentNumber) : NO_NUMBER,
    fiscalDocSign: facts.kind === "fiscal" ? facts.fiscalSign : NO_NUMBER,
    ...(receipt === undefined ? {} : { receipt: receipt.toString("base64") }),
    ...(facts.kind === "fiscal" && facts.document !== "receipt" ? { shiftNumber: String(facts.shiftNumber) } : {}),
    time: facts.time,
    ...(facts.kind === "fiscal" ? totalsOf(facts) : {}),
  };
  return Buffer.from(JSON.stringify(body));
}

function totalsOf({ shiftReport, shiftCounts }: FiscalFacts): object {
  const counts = shiftReport ?? shiftCounts;
  return counts === undefined ? {} : { chequesTotal: counts.receipts, fiscalDocsTotal: counts.documents };
}
