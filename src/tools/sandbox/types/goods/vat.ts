import type { Account } from "../../account/account.ts";
import { refused } from "../../call/refusal.ts";
import type { Stored, Values } from "../../values/stored.ts";
import type { Writing } from "../entity-type.ts";

/** The maximum number of nested folders in the search for a VAT rate. */
const MAX_FOLDERS = 20;

/** Returns whether new goods use the folder's rate: yes, if the body has neither `vat` nor `vatEnabled`. */
export function completeVat(draft: Values): Values {
  return { useParentVat: draft.vat === undefined && draft.vatEnabled === undefined };
}

/**
 * Applies a body's VAT fields and returns the result. `vatEnabled` true requires `vat` (16010). A negative rate is refused (3002). `vat`
 * alone sets `vatEnabled` for a rate above zero. `vatEnabled` false without a rate is stored as rate 0. In a change, a sent rate or flag
 * ends the use of the folder's rate, unless the body also sends `useParentVat`.
 */
export function settleVat(draft: Values, before: Stored | undefined, { given }: Writing): Values {
  const own = given.has("vat") || given.has("vatEnabled");
  const useParentVat = before !== undefined && own && !given.has("useParentVat") ? false : draft.useParentVat;
  const { vat } = draft;
  if (vat === undefined && draft.vatEnabled === true) throw refused(16010, "vat");
  if (typeof vat === "number" && vat < 0) throw refused(3002, "vat");
  if (vat === undefined) return draft.vatEnabled === false ? { useParentVat, vat: 0 } : { useParentVat };
  const vatEnabled = given.has("vat") && !given.has("vatEnabled") ? Number(vat) > 0 : (draft.vatEnabled ?? Number(vat) > 0);
  return { useParentVat, vatEnabled };
}

/**
 * Returns `effectiveVat` and its flag. With `useParentVat`, both come from the nearest folder above without `useParentVat`. Returns nothing
 * if there is no such folder, or no rate.
 */
export function effectiveVat({ values }: Stored, account: Account): Values {
  let at: Values | undefined = values;
  for (let level = 0; level < MAX_FOLDERS && at !== undefined; level += 1) {
    if (at.useParentVat !== true) return at.vat === undefined ? {} : { effectiveVat: at.vat, effectiveVatEnabled: at.vatEnabled === true };
    at = account.objects.pointedBy(at.productFolder)?.values;
  }
  return {};
}
