import { entity } from "./entity-type.ts";
import { list, number, ref } from "./field.ts";
import { DOCUMENT_KEYS, DOCUMENT_ORDER, FILE_FIELDS, GOODS_KEY, LINE } from "./shapes.ts";
import { TRADE } from "./trade.ts";

const POSITION = { ...LINE, cost: number() };

/** Retail returns (json-api 12.3): with `demand` for a return by receipt, otherwise with `cashSum` and `noCashSum`. */
export const RETAIL_SALES_RETURN = entity({
  name: "retailsalesreturn",
  fields: {
    ...TRADE,
    agent: ref("counterparty")("required", "expand", "E"),
    cashSum: number("kept"),
    contract: ref("contract")("expand", "E"),
    demand: ref("retaildemand")("expand"),
    noCashSum: number("kept"),
    organization: ref("organization")("required", "expand", "E"),
    positions: list(POSITION)("expand"),
    qrSum: number("kept"),
    retailShift: ref("retailshift")("required", "expand", "E"),
    retailStore: ref("retailstore")("required", "expand", "E"),
    store: ref("store")("required", "expand", "E"),
  },
  keys: { ...DOCUMENT_KEYS, ...GOODS_KEY },
  order: DOCUMENT_ORDER,
  lists: { positions: POSITION, files: FILE_FIELDS },
});
