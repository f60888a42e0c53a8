import { DIRECTORY } from "../entity-defaults.ts";
import type { EntityType } from "../entity-type.ts";
import { fieldTable } from "../field.ts";

/** Projects that documents belong to. */
export const PROJECT: EntityType = {
  ...DIRECTORY,
  name: "project",
  webName: "project",
  attributesOf: "project",
  fields: fieldTable(`
    accountId     uuid          ro out E
    archived      bool          out E
    attributes    attributes    A
    code          string(255)   T
    description   string(4096)  T
    externalCode  string(255)   out T
    group         ref:group     out exp E
    id            uuid          ro out E
    name          string(255)   req out T
    owner         ref:employee  exp E
    shared        bool          out E
    updated       datetime      ro out C
  `),
  complete: (draft) => ({ archived: false, ...draft }),
};
