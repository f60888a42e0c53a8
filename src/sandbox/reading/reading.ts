import type { Account } from "../account/account.ts";
import type { Call } from "../api/call.ts";
import type { Catalogue } from "../types/catalogue.ts";

/** What whoever turns stored objects into answers has at hand. */
export interface Reading {
  readonly account: Account;
  readonly catalogue: Catalogue;
  readonly call: Call;
}

/** Which references and nested collections are given whole, by the name of the field; deeper levels inside. */
export interface Expand {
  readonly [field: string]: Expand | undefined;
}

export const NOTHING_EXPANDED: Expand = {};
