import { refused } from "../../call/refusal.ts";
import { numberIn } from "../../values/number.ts";
import { type Stored, shapeIn, type Values } from "../../values/stored.ts";
import { TRACKING_TYPES } from "../shapes.ts";

/** Two fields that exclude each other, and the error code. With a `trackingType` in `besides`, both fields are allowed. */
interface Exclusion {
  readonly code: number;
  readonly one: string;
  readonly other: string;
  readonly besides: readonly string[];
}

/** The pairs of fields that exclude each other (json-api 13.1). The documentation has no error code for the last five. */
const EXCLUSIONS: readonly Exclusion[] = `
  16001  weighed       isSerialTrackable
  16011  onTap         isSerialTrackable
  16012  onTap         weighed
  16013  weighed       ppeType
  16014  onTap         ppeType
  16103  trackingType  isSerialTrackable
  16105  weighed       trackingType       MILK
  16015  onTap         trackingType       MILK PERFUMERY
  16113  trackingType  ppeType
  3028   alcoholic     weighed
  3028   alcoholic     isSerialTrackable
  3028   alcoholic     ppeType
  3028   alcoholic     trackingType       BEER_ALCOHOL
  3028   ppeType       isSerialTrackable
`
  .trim()
  .split("\n")
  .map((row) => {
    const [code, one = "", other = "", ...besides] = row.trim().split(/\s+/);
    return { code: Number(code), one, other, besides };
  });

/** Fields of alcohol, which must be above zero if given. */
const ALCOHOL = ["type", "strength", "volume"];

/**
 * Checks the fields of goods (json-api 13.1). Throws 16106 for an unknown marking, 16000 for an alcohol number not above zero, 16002 if
 * serial accounting is switched off, and the codes in `EXCLUSIONS`.
 */
export function checkExclusions(draft: Values, before: Stored | undefined): void {
  checkTracking(draft);
  const alcoholic = shapeIn(draft.alcoholic) ?? {};
  const wrong = ALCOHOL.find((name) => alcoholic[name] !== undefined && numberIn(alcoholic[name]) <= 0);
  if (wrong !== undefined) throw refused(16000, wrong).below("alcoholic");
  if (before?.values.isSerialTrackable === true && draft.isSerialTrackable !== true) throw refused(16002, "isSerialTrackable");
  const found = EXCLUSIONS.find(
    ({ one, other, besides }) => isSaid(draft, one) && isSaid(draft, other) && !besides.includes(String(draft.trackingType)),
  );
  if (found !== undefined) throw refused(found.code, undefined, `${found.one}, ${found.other}`);
}

/** Throws 16106 for a marking outside the list of json-api 13.1. The live platform may have more. */
export function checkTracking({ trackingType }: Values): void {
  if (trackingType !== undefined && !TRACKING_TYPES.includes(String(trackingType)))
    throw refused(16106, "trackingType", String(trackingType));
}

function isSaid(draft: Values, name: string): boolean {
  const value = draft[name];
  return value !== undefined && value !== false && value !== "" && value !== "NOT_TRACKED";
}
