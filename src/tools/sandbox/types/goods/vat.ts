import type { Account } from "../../account/account.ts";
import { refused } from "../../call/refusal.ts";
import type { Stored, Values } from "../../values/stored.ts";
import type { Writing } from "../entity-type.ts";

/** How many folders inside each other are searched for a VAT rate. */
const MAX_FOLDERS = 20;

/** Returns whether new goods use the folder's rate. Goods that state a rate do not use it. */
export function completeVat(draft: Values): Values {
  return { useParentVat: draft.vat === undefined && draft.vatEnabled === undefined };
}

/**
 * Returns the rate after a body. `vatEnabled` requires `vat` (16010). A rate above zero means that VAT applies. "No VAT" is
 * kept as rate 0. Goods that state a rate no longer use the folder's rate.
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

/** Returns `effectiveVat` and its flag: the goods' own rate, or the rate of the nearest folder that has one. */
export function effectiveVat({ values }: Stored, account: Account): Values {
  let at: Values | undefined = values;
  for (let level = 0; level < MAX_FOLDERS && at !== undefined; level += 1) {
    if (at.useParentVat !== true) return at.vat === undefined ? {} : { effectiveVat: at.vat, effectiveVatEnabled: at.vatEnabled === true };
    at = account.objects.pointedBy(at.productFolder)?.values;
  }
  return {};
}
