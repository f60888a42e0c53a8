import { bool, number, ref } from "./field.ts";
import { DOCUMENT, rate } from "./shapes.ts";

/** Money put into or taken out of the drawer (json-api 12.4, 12.5). `agent` is an employee, and `sum` is above zero (D33). */
export const DRAWER = {
  ...DOCUMENT,
  agent: ref("employee")("required", "expand", "E"),
  applicable: bool("kept", "E"),
  organization: ref("organization")("required", "expand", "E"),
  rate: rate(),
  retailShift: ref("retailshift")("required", "expand", "E"),
  state: ref("state")("expand", "E"),
  sum: number("required", "C"),
};
