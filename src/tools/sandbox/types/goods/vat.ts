import type { Account } from "../../account/account.ts";
import { refused } from "../../call/refusal.ts";
import type { Stored, Values } from "../../values/stored.ts";
import type { Writing } from "../entity-type.ts";

/** Folders inside of folders that are looked through for a rate. */
const MAX_FOLDERS = 20;

/** Goods that name a rate have one of their own; others take the folder's. */
export function completeVat(draft: Values): Values {
  return { useParentVat: draft.vat === undefined && draft.vatEnabled === undefined };
}

/**
 * The rate after a body: `vatEnabled` needs `vat` (16010), a rate above zero means that VAT applies, "no VAT" is kept as
 * rate 0, and naming a rate ends taking the folder's.
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

/** `effectiveVat` and its flag: the rate of its own, or that of the nearest folder that has one. */
export function effectiveVat({ values }: Stored, account: Account): Values {
  let at: Values | undefined = values;
  for (let level = 0; level < MAX_FOLDERS && at !== undefined; level += 1) {
    if (at.useParentVat !== true) return at.vat === undefined ? {} : { effectiveVat: at.vat, effectiveVatEnabled: at.vatEnabled === true };
    at = account.objects.pointedBy(at.productFolder)?.values;
  }
  return {};
}
