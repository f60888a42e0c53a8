import { refused, within, withinEach } from "../../call/refusal.ts";
import type { Value, Values } from "../../values/stored.ts";

/** Types of marking codes (json-api 12.2). Packs contain further codes. */
const CODE_TYPES: readonly string[] = ["trackingcode", "consumerpack", "transportpack"];

/**
 * Checks the tree of marking codes of a line (json-api 12.2). Each code needs `cis`. Its `type` must be known, and is `trackingcode` by
 * default. Only packs contain codes, and a transport pack contains no transport pack. The documentation has no error code for the last two
 * faults, so 3007 is thrown.
 */
export function checkTrackingCodes(value: Value | undefined, above: string | undefined = undefined): void {
  if (value === undefined || value === null) return;
  if (!Array.isArray(value)) throw refused(2003, "trackingCodes");
  within("trackingCodes", () => withinEach(value as readonly Value[], (each) => checkCode(each, above)));
}

function checkCode(code: Value, above: string | undefined): void {
  if (typeof code !== "object" || code === null || Array.isArray(code)) throw refused(3012, "trackingCodes");
  const { cis, type = "trackingcode", trackingCodes } = code as Values;
  if (cis === undefined || cis === null || cis === "") throw refused(3000, "cis");
  if (typeof cis !== "string") throw refused(2016, "cis", "string");
  if (typeof type !== "string" || !CODE_TYPES.includes(type)) throw refused(2029, "type", String(type));
  if (type === "transportpack" && above === "transportpack") {
    throw refused(3007, undefined, "транспортная упаковка не может лежать в транспортной").below("type");
  }
  const holds = Array.isArray(trackingCodes) && trackingCodes.length > 0;
  if (holds && type === "trackingcode") throw refused(3007, undefined, "коды могут лежать только в упаковке").below("trackingCodes");
  checkTrackingCodes(trackingCodes, type);
}
