import { refused } from "../../call/refusal.ts";
import { numberIn } from "../../values/number.ts";
import type { Stored, Values } from "../../values/stored.ts";
import { DIRECTORY } from "../entity-defaults.ts";
import type { EntityType, Writing } from "../entity-type.ts";
import { fieldTable } from "../field.ts";

/** Departments for access control, in the common field `group`. */
export const GROUP: EntityType = {
  ...DIRECTORY,
  name: "group",
  fields: fieldTable(`
    accountId  uuid         ro out E
    id         uuid         ro out E
    index      int          out
    name       string(255)  req out
  `),
  order: ["id", "name"],
  settle,
};

/**
 * Throws 60001 for a used name. `index` is the place among all departments, from 0. A department with a stated place moves the departments
 * after it.
 */
function settle(draft: Values, before: Stored | undefined, { account }: Writing): Values {
  const others = [...account.objects.all("group").values()].filter(({ id }) => id !== before?.id);
  if (others.some(({ values }) => values.name === draft.name)) throw refused(60001, "name", String(draft.name));
  const stated = draft.index === undefined ? others.length : numberIn(draft.index);
  const index = Math.max(0, Math.min(stated, others.length));
  others.sort((one, other) => numberIn(one.values.index) - numberIn(other.values.index));
  for (const [place, other] of others.entries()) {
    const moved = place < index ? place : place + 1;
    if (other.values.index !== moved) account.put({ ...other, values: { ...other.values, index: moved } });
  }
  return { ...draft, index };
}
