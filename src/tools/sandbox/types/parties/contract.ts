import { cutToMinute } from "../../values/datetime.ts";
import { DIRECTORY } from "../entity-defaults.ts";
import type { EntityType } from "../entity-type.ts";
import { fieldTable } from "../field.ts";

/** Contracts that documents refer to. */
export const CONTRACT: EntityType = {
  ...DIRECTORY,
  name: "contract",
  webName: "contract",
  attributesOf: "contract",
  fields: fieldTable(`
    accountId     uuid              ro out E
    agent         ref:counterparty  exp E
    archived      bool              out E
    attributes    attributes        A
    code          string(255)       T
    description   string(4096)      T
    externalCode  string(255)       out T
    group         ref:group         out exp E
    id            uuid              ro out E
    moment        minute            out C
    name          string(255)       req out T
    owner         ref:employee      exp E
    ownAgent      ref:organization  exp E
    shared        bool              out E
    updated       datetime          ro out C
  `),
  complete: (draft, { nowMs }) => ({ archived: false, moment: cutToMinute(nowMs), ...draft }),
};
