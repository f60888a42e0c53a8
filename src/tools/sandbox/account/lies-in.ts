import { type Reference, referenceIn, type Value } from "../values/stored.ts";
import type { Account } from "./account.ts";

/**
 * Whether `value` refers to `other`, or to an object below `other` in their tree. `field` is the reference from an object to its parent.
 */
export function liesIn(value: Value | undefined, other: Reference, field: string, { account }: { readonly account: Account }): boolean {
  let at = referenceIn(value);
  while (at !== undefined) {
    if (at.id === other.id) return true;
    at = referenceIn(account.objects.get(at.type, at.id)?.values[field]);
  }
  return false;
}
