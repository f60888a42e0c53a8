import { cutToMinute } from "../../values/datetime.ts";
import { DIRECTORY } from "../entity-defaults.ts";
import { entityTable } from "../entity-table.ts";
import type { EntityType } from "../entity-type.ts";

/** Contracts that documents refer to. */
export const CONTRACT: EntityType = {
  ...DIRECTORY,
  name: "contract",
  webName: "contract",
  attributesOf: "contract",
  fields: entityTable(`
    agent       ref:counterparty  exp E
    archived    bool              out E
    attributes  attributes        A
    moment      minute            out C
    owner
    ownAgent    ref:organization  exp E
  `),
  search: { match: "substring", fields: ["name", "description"] },
  complete: (draft, { nowMs }) => ({ archived: false, moment: cutToMinute(nowMs), ...draft }),
};
