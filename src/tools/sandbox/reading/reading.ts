import type { Account } from "../account/account.ts";
import type { Call } from "../call/call.ts";
import type { StockTable } from "../reports/stock.ts";
import type { Catalogue } from "../types/catalogue.ts";
import type { JsonObject } from "./render.ts";

/** What whoever turns stored objects into answers has at hand. */
export interface Reading {
  readonly account: Account;
  readonly catalogue: Catalogue;
  readonly call: Call;
  /** The field beyond the usual ones that `fields` asks for. */
  readonly asked?: string;
  /** Stock as it is now, computed once for the answer: there when `fields=stock` asks for it. */
  readonly stock?: () => StockTable;
  /** Parts of this answer that are the same wherever they stand; absent where only a few are written. */
  readonly shared?: SharedParts;
}

/** A thousand goods point at the same folder, unit and currency: what is written of these is made once. */
export interface SharedParts {
  readonly references: Map<string, JsonObject>;
  readonly wholes: Map<string, JsonObject>;
}

/** Which references and nested collections are given whole, by the name of the field; deeper levels inside. */
export interface Expand {
  readonly [field: string]: Expand | undefined;
}

export const NOTHING_EXPANDED: Expand = {};
