import { refused } from "../../call/refusal.ts";
import type { Stored, Values } from "../../values/stored.ts";

/** The one marking category that weighed goods may have. */
const WEIGHED_TRACKING = "MILK";

/**
 * What goods cannot be at once (13.1). Serial accounting excludes weighed, alcohol, a protective code, marking and
 * goods on tap (16000); weighed goods exclude goods on tap and every marking but milk's (16001). Serial accounting is
 * never switched off again (16002).
 */
export function checkExclusions(draft: Values, before: Stored | undefined): void {
  const marked = draft.trackingType !== undefined && draft.trackingType !== "NOT_TRACKED";
  const weighed = draft.weighed === true;
  const onTap = draft.onTap === true;
  if (before?.values.isSerialTrackable === true && draft.isSerialTrackable !== true) throw refused(16002, "isSerialTrackable");
  if (draft.isSerialTrackable === true) {
    const others = { weighed, alcoholic: draft.alcoholic !== undefined, ppeType: draft.ppeType !== undefined, trackingType: marked, onTap };
    refuseWith(16000, others);
  }
  if (weighed) refuseWith(16001, { onTap, trackingType: marked && draft.trackingType !== WEIGHED_TRACKING });
}

function refuseWith(code: number, others: Readonly<Record<string, boolean>>): void {
  const names = Object.keys(others).filter((name) => others[name] === true);
  if (names.length > 0) throw refused(code, undefined, names.join(", "));
}
