import { entity } from "./entity-type.ts";
import { bool, kind, moment, number, ref } from "./field.ts";
import type { Ref } from "./meta.ts";
import { DOCUMENT, EDITOR_FILTER, FILE_FIELDS } from "./shapes.ts";

/**
 * A register's data at the opening or the closing of a shift. Only the data of a closing contain the counts `chequesTotal` and
 * `fiscalDocsTotal`.
 */
interface ShiftCheque {
  readonly fnNumber?: string;
  readonly kktRegNumber?: string;
  readonly fiscalDocSign?: string;
  readonly fiscalDocNumber?: string;
  readonly shiftNumber?: string;
  readonly time?: string;
  readonly chequesTotal?: number;
  readonly fiscalDocsTotal?: number;
}

/** Shifts (json-api 12.1). A shift without `closeDate` is open. Shifts have no state, no sum and no code. */
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
    /** The documentation marks this field and the received sums as read only, but the platform stores written values (D24). */
    created: moment("C"),
    operations: kind<readonly Ref[]>()("readOnly", "expand"),
    organization: ref("organization")("required", "expand", "E"),
    organizationAccount: ref("account")("expand"),
    paymentOperations: kind<readonly (Ref & { readonly linkedSum?: number })[]>()("readOnly", "expand"),
    proceedsCash: number("readOnly"),
    proceedsNoCash: number("readOnly"),
    qrAcquire: ref("counterparty")("expand"),
    qrBankComission: number("kept"),
    qrBankPercent: number("kept"),
    receivedCash: number("kept"),
    receivedNoCash: number("kept"),
    retailStore: ref("retailstore")("required", "expand", "E"),
    store: ref("store")("expand"),
    vatEnabled: bool("readOnly"),
    vatIncluded: bool(),
  },
  keys: { ...EDITOR_FILTER, isDeleted: bool("E") },
  // The keys of other documents, except `applicable` and `sum`, because a shift has neither.
  order: ["id", "syncId", "version", "updated", "updatedBy", "name", "description", "externalCode", "moment", "created", "closeDate"],
  lists: { files: FILE_FIELDS },
});
