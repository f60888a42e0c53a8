import { entity } from "./entity-type.ts";
import { kind, list, moment, number, ref, text } from "./field.ts";
import type { Ref } from "./meta.ts";
import { address, DOCUMENT_KEYS, DOCUMENT_ORDER, FILE_FIELDS, GOODS_KEY, LINE, taxSystem } from "./shapes.ts";
import { TRADE } from "./trade.ts";

const POSITION = { ...LINE, reserve: number(), shipped: number("readOnly"), taxSystem: taxSystem() };

const links = kind<readonly (Ref & { readonly linkedSum?: number })[]>();

/** Orders of customers (json-api 13.9). A company of the account and a buyer are required. */
export const CUSTOMER_ORDER = entity({
  name: "customerorder",
  fields: {
    ...TRADE,
    agent: ref("counterparty")("required", "expand", "E"),
    contract: ref("contract")("expand", "E"),
    deliveryPlannedMoment: moment("C"),
    demands: links("readOnly"),
    invoicedSum: number("readOnly"),
    invoicesOut: links("readOnly"),
    moves: links("readOnly"),
    organization: ref("organization")("required", "expand", "E"),
    payedSum: number("readOnly"),
    payments: links("readOnly"),
    positions: list(POSITION)("expand"),
    prepayments: links("readOnly"),
    project: ref("project")("expand", "E"),
    reservedSum: number("readOnly"),
    salesChannel: ref("saleschannel")("expand", "E"),
    shipmentAddress: text("kept", "T"),
    shipmentAddressFull: address(),
    shippedSum: number("readOnly"),
    store: ref("store")("expand", "E"),
  },
  keys: { ...DOCUMENT_KEYS, ...GOODS_KEY },
  order: [...DOCUMENT_ORDER, "deliveryPlannedMoment"],
  lists: { positions: POSITION, files: FILE_FIELDS },
});
