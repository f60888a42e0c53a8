import { type Reference, referenceIn, type Value } from "../values/stored.ts";
import type { Account } from "./account.ts";

/** Whether an object of a tree is `other` or lies below it. `field` is the reference to the parent. */
export function liesIn(value: Value | undefined, other: Reference, field: string, { account }: { readonly account: Account }): boolean {
  let at = referenceIn(value);
  while (at !== undefined) {
    if (at.id === other.id) return true;
    at = referenceIn(account.objects.get(at.type, at.id)?.values[field]);
  }
  return false;
}
