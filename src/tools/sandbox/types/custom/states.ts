import type { Account } from "../../account/account.ts";
import { refused } from "../../call/refusal.ts";
import { referencesIn, type Value } from "../../values/stored.ts";

/** Throws 11002 if the value refers to anything but a state of this type (json-api 8.2). */
export function refuseForeignStates(type: string, field: string, value: Value | undefined, account: Account): void {
  for (const reference of referencesIn(value)) {
    if (account.objects.get(reference.type, reference.id)?.values.of !== type) throw refused(11002, field);
  }
}
