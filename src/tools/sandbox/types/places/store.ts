import { liesIn } from "../../account/lies-in.ts";
import { refused } from "../../call/refusal.ts";
import { type Stored, type Values, withoutEmpty } from "../../values/stored.ts";
import { DIRECTORY } from "../entity-defaults.ts";
import type { EntityType, Writing } from "../entity-type.ts";
import { fieldTable } from "../field.ts";
import { settleAddress } from "../parties/addresses.ts";
import { SHAPES } from "../shapes.ts";

/** Warehouses. */
export const STORE: EntityType = {
  ...DIRECTORY,
  name: "store",
  webName: "warehouse",
  attributesOf: "store",
  fields: fieldTable(
    `
    accountId     uuid            ro out E
    address       string(255)     T
    addressFull   object:address
    archived      bool            out E
    attributes    attributes      A
    code          string(255)     T
    description   string(4096)    T
    externalCode  string(255)     out T
    group         ref:group       out exp E
    id            uuid            ro out E
    name          string(255)     req out T
    owner         ref:employee    exp E
    parent        ref:store       exp E
    pathName      string(4096)    ro out T
    shared        bool            out E
    updated       datetime        ro out C
    `,
    SHAPES,
  ),
  complete: (draft) => ({ archived: false, pathName: "", ...draft }),
  settle,
};

function settle(draft: Values, before: Stored | undefined, writing: Writing): Values {
  if (before !== undefined && liesIn(draft.parent, before, "parent", writing)) {
    throw refused(3007, "parent", "склад не может лежать в самом себе");
  }
  return withoutEmpty({ ...draft, ...settleAddress(draft, before, writing, "address") });
}
