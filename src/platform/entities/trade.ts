import { bool, number, ref, text } from "./field.ts";
import { DOCUMENT, rate, taxSystem } from "./shapes.ts";

/** Documents that move goods and money: sales, returns, orders (json-api 12.2, 12.3, 13.9). */
export const TRADE = {
  ...DOCUMENT,
  agentAccount: ref("account")("expand"),
  applicable: bool("kept", "E"),
  code: text("T"),
  organizationAccount: ref("account")("expand"),
  rate: rate(),
  state: ref("state")("expand", "E"),
  sum: number("readOnly", "C"),
  taxSystem: taxSystem(),
  vatEnabled: bool("kept"),
  vatIncluded: bool(),
  vatSum: number("readOnly"),
};
