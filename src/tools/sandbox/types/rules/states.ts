import type { Account } from "../../account/account.ts";
import { type Reference, referenceIn, type Value } from "../../account/stored.ts";
import { refused } from "../../call/refusal.ts";

/** States belong to one type each (8.2): one of another type, or a list with one, is 11002. */
export function refuseForeignStates(type: string, field: string, value: Value | undefined, account: Account): void {
  for (const reference of referencesIn(value)) {
    if (account.objects.get(reference.type, reference.id)?.values.of !== type) throw refused(11002, field);
  }
}

function referencesIn(value: Value | undefined): readonly Reference[] {
  const one = referenceIn(value);
  if (one !== undefined) return [one];
  return Array.isArray(value) ? value.flatMap((each: Value) => referenceIn(each) ?? []) : [];
}
