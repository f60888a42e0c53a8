import { liesIn } from "../../account/lies-in.ts";
import { refused } from "../../call/refusal.ts";
import { type Stored, type Values, withoutEmpty } from "../../values/stored.ts";
import { DIRECTORY } from "../entity-defaults.ts";
import { entityTable } from "../entity-table.ts";
import type { EntityType, Writing } from "../entity-type.ts";
import { settleAddress } from "../parties/addresses.ts";
import { SHAPES } from "../shapes.ts";

/** Warehouses. */
export const STORE: EntityType = {
  ...DIRECTORY,
  name: "store",
  webName: "warehouse",
  attributesOf: "store",
  fields: entityTable(
    `
    address      string(255)     T
    addressFull  object:address
    archived     bool            out E
    attributes   attributes      A
    parent       ref:store       exp E
    pathName     string(4096)    ro out T
    `,
    SHAPES,
  ),
  search: { match: "word-prefix", fields: ["name", "code"] },
  complete: (draft) => ({ archived: false, pathName: "", ...draft }),
  settle,
};

function settle(draft: Values, before: Stored | undefined, writing: Writing): Values {
  if (before !== undefined && liesIn(draft.parent, before, "parent", writing)) {
    throw refused(3007, "parent", "склад не может лежать в самом себе");
  }
  return withoutEmpty({ ...draft, ...settleAddress(draft, before, writing, "address") });
}
