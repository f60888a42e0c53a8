import { entity } from "./entity-type.ts";
import { kind, list, number, ref } from "./field.ts";
import { DOCUMENT_KEYS, DOCUMENT_ORDER, FILE_FIELDS, GOODS_KEY, LINE } from "./shapes.ts";
import { TRADE } from "./trade.ts";

/** A marking code. A pack's code contains other codes (json-api 12.2). A change of a line must send its full list of codes. */
interface TrackingCode {
  readonly cis: string;
  readonly type?: "trackingcode" | "consumerpack" | "transportpack";
  readonly trackingCodes?: readonly TrackingCode[];
}

interface Cheque {
  readonly fnNumber?: string;
  readonly fiscalDocSign?: string;
  readonly fiscalDocNumber?: string;
  readonly kktRegNumber?: string;
  readonly time?: string;
}

const POSITION = {
  ...LINE,
  cost: number(),
  /** Only with `fields: "declaration"`. */
  declaration: kind<readonly Readonly<Record<string, unknown>>[]>()("readOnly"),
  trackingCodes: kind<readonly TrackingCode[]>()(),
  trackingCodes_1162: kind<readonly TrackingCode[]>()(),
};

/** Retail sales (json-api 12.2). Only a shift is required (D26). The platform adds the unpaid part of the sum to `cashSum`. */
export const RETAIL_DEMAND = entity({
  name: "retaildemand",
  fields: {
    ...TRADE,
    advancePaymentSum: number("kept"),
    agent: ref("counterparty")("kept", "expand", "E"),
    cashSum: number("kept"),
    checkNumber: number(),
    checkSum: number(),
    cheque: kind<Cheque>()("readOnly"),
    customerOrder: ref("customerorder")("expand"),
    documentNumber: number(),
    giftCards: kind<readonly { readonly name: string; readonly paymentSum?: number }[]>()(),
    noCashSum: number("kept"),
    organization: ref("organization")("kept", "expand", "E"),
    payedSum: number("readOnly"),
    positions: list(POSITION)("expand"),
    prepaymentCashSum: number("kept"),
    prepaymentNoCashSum: number("kept"),
    prepaymentQrSum: number("kept"),
    qrSum: number("kept"),
    retailShift: ref("retailshift")("required", "expand", "E"),
    retailStore: ref("retailstore")("kept", "expand", "E"),
    sessionNumber: number(),
    store: ref("store")("kept", "expand", "E"),
  },
  keys: { ...DOCUMENT_KEYS, ...GOODS_KEY },
  order: DOCUMENT_ORDER,
  lists: { positions: POSITION, files: FILE_FIELDS },
});
