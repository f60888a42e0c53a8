import { entity } from "./entity-type.ts";
import { bool, kind, moment, number, ref } from "./field.ts";
import type { Ref } from "./meta.ts";
import { BY_EDITOR, DOCUMENT, DOCUMENT_ORDER, FILE_FIELDS } from "./shapes.ts";

/** What a register printed at the opening of a shift; at its end the counts are there too. */
export interface ShiftCheque {
  readonly fnNumber?: string;
  readonly kktRegNumber?: string;
  readonly fiscalDocSign?: string;
  readonly fiscalDocNumber?: string;
  readonly shiftNumber?: string;
  readonly time?: string;
  readonly chequesTotal?: number;
  readonly fiscalDocsTotal?: number;
}

/** Shifts (reference 12.1). Open as long as there is no `closeDate`; no state, sum or code. */
export const RETAIL_SHIFT = entity({
  name: "retailshift",
  fields: {
    ...DOCUMENT,
    acquire: ref("counterparty")("expand"),
    agentAccount: ref("account")("readOnly", "expand"),
    bankComission: number("kept"),
    bankPercent: number("kept"),
    cheque: kind<{ readonly start?: ShiftCheque; readonly end?: ShiftCheque }>()(),
    closeDate: moment("C"),
    operations: kind<readonly Ref[]>()("readOnly"),
    organization: ref("organization")("required", "expand", "E"),
    organizationAccount: ref("account")("expand"),
    paymentOperations: kind<readonly (Ref & { readonly linkedSum?: number })[]>()("readOnly"),
    proceedsCash: number("readOnly"),
    proceedsNoCash: number("readOnly"),
    qrAcquire: ref("counterparty")("expand"),
    qrBankComission: number("kept"),
    qrBankPercent: number("kept"),
    receivedCash: number("readOnly"),
    receivedNoCash: number("readOnly"),
    retailStore: ref("retailstore")("required", "expand", "E"),
    store: ref("store")("expand"),
    vatEnabled: bool("readOnly"),
    vatIncluded: bool(),
  },
  keys: { ...BY_EDITOR, isDeleted: bool("E") },
  order: [...DOCUMENT_ORDER, "closeDate"],
  lists: { files: FILE_FIELDS },
});
