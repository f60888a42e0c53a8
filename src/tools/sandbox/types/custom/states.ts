import type { Account } from "../../account/account.ts";
import { refused } from "../../call/refusal.ts";
import { referencesIn, type Value } from "../../values/stored.ts";

/** States belong to one type each (8.2): one of another type, or a list with one, is 11002. */
export function refuseForeignStates(type: string, field: string, value: Value | undefined, account: Account): void {
  for (const reference of referencesIn(value)) {
    if (account.objects.get(reference.type, reference.id)?.values.of !== type) throw refused(11002, field);
  }
}
