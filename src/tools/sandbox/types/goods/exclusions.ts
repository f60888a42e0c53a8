import { refused } from "../../call/refusal.ts";
import { numberIn } from "../../values/number.ts";
import { type Stored, shapeIn, type Values } from "../../values/stored.ts";
import { TRACKING_TYPES } from "../shapes.ts";

/** Two fields that exclude each other, and the code of the fault. With the given values of `trackingType` both fields may be set. */
interface Exclusion {
  readonly code: number;
  readonly one: string;
  readonly other: string;
  readonly besides: readonly string[];
}

/** The pairs that exclude each other (json-api 13.1). The reference states the last five without a code. */
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

/** Fields of alcohol. Each given field must be above zero. */
const ALCOHOL = ["type", "strength", "volume"];

/**
 * Checks the fields of goods (json-api 13.1). Throws a `Refusal`: 16106 for an unknown marking, 16000 for a number of alcohol
 * that is not above zero, 16002 when serial accounting is switched off, and the codes of the pairs that exclude each other.
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

/** Throws 16106 for a marking that the reference's list does not have. Other environments may have a longer list. */
export function checkTracking({ trackingType }: Values): void {
  if (trackingType !== undefined && !TRACKING_TYPES.includes(String(trackingType)))
    throw refused(16106, "trackingType", String(trackingType));
}

function isSaid(draft: Values, name: string): boolean {
  const value = draft[name];
  return value !== undefined && value !== false && value !== "" && value !== "NOT_TRACKED";
}
