import { cutToMinute } from "../../values/datetime.ts";
import { DIRECTORY } from "../entity-defaults.ts";
import { entityTable } from "../entity-table.ts";
import type { EntityType } from "../entity-type.ts";
import { DOCUMENT_SHAPES, ownCurrency } from "./document.ts";

/** Contracts that documents refer to (json-api 13.11). */
export const CONTRACT: EntityType = {
  ...DIRECTORY,
  name: "contract",
  webName: "contract",
  attributesOf: "contract",
  states: true,
  fields: entityTable(
    `
    agent                ref:counterparty               exp E
    agentAccount         ref:account                    exp
    archived             bool                           out E
    attributes           attributes                     A
    contractType         enum:Sales|Commission          out
    moment               minute                         out C
    organizationAccount  ref:account                    exp
    owner
    ownAgent             ref:organization               exp E
    rate                 object:rate                    exp
    rewardPercent        int
    rewardType           enum:None|PercentOfSales       out
    state                ref:state                      exp E
    sum                  number                         out
    `,
    DOCUMENT_SHAPES,
  ),
  search: { match: "substring", fields: ["name", "description"] },
  complete: (draft, writing) => ({
    archived: false,
    contractType: "Sales",
    moment: cutToMinute(writing.nowMs),
    rewardType: "None",
    sum: 0,
    ...ownCurrency(writing),
    ...draft,
  }),
};
