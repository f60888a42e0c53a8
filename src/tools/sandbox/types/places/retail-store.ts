import type { Account } from "../../account/account.ts";
import { type Stored, type Value, type Values, withoutEmpty } from "../../values/stored.ts";
import { DIRECTORY } from "../entity-defaults.ts";
import type { EntityType, Writing } from "../entity-type.ts";
import { fieldTable } from "../field.ts";
import { settleAddress } from "../parties/addresses.ts";
import { CASHIER, cashiersOf } from "../parties/cashier.ts";
import { lastOperationNames } from "./last-operations.ts";
import { checkRetailStore, completeActive, RETAIL_STORE_DEFAULTS } from "./retail-store-rules.ts";
import { RETAIL_SHAPES, RETAIL_STORE_ROWS } from "./retail-store-table.ts";

/** Points of sale (json-api 12.6). */
export const RETAIL_STORE: EntityType = {
  ...DIRECTORY,
  name: "retailstore",
  webName: "retailstore",
  fields: fieldTable(RETAIL_STORE_ROWS, RETAIL_SHAPES),
  lists: { cashiers: CASHIER },
  search: { match: "substring", fields: ["name", "address"] },
  order: [..."id version updated updatedBy name description externalCode address active".split(" ")],
  complete: (draft, writing) => ({ ...RETAIL_STORE_DEFAULTS, ...completeActive(draft, writing), ...draft }),
  settle,
  derive,
};

function settle(draft: Values, before: Stored | undefined, writing: Writing): Values {
  checkRetailStore(draft, before, writing);
  return withoutEmpty({ ...draft, ...settleAddress(draft, before, writing, "address") });
}

function derive(stored: Stored, account: Account): Values {
  return {
    cashiers: cashiersOf(stored).map(({ id, values }): Value => ({ id, values })),
    lastOperationNames: lastOperationNames(stored, account),
  };
}
