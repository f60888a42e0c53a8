import { refused } from "../../call/refusal.ts";
import type { Stored, Values } from "../../values/stored.ts";
import { BARE } from "../entity-defaults.ts";
import type { EntityType, Writing } from "../entity-type.ts";
import { fieldTable } from "../field.ts";

const STATE_TYPES = ["Regular", "Successful", "Unsuccessful"];

/**
 * A state of a document, a counterparty or a contract (json-api 8.2). It is stored with `of` and `entityType`. Both name the type that has
 * the state.
 */
export const STATE: EntityType = {
  ...BARE,
  name: "state",
  inner: true,
  fields: fieldTable(`
    id          uuid         ro out
    accountId   uuid         ro out
    name        string(255)  req out
    color       int          req out
    stateType   string(255)  req out
    entityType  string(255)  ro out
  `),
  addresses: ({ type, id }, account) => ({ metadata: `entity/${String(account.objects.get(type, id)?.values.of)}/metadata` }),
  settle,
};

function settle(draft: Values, before: Stored | undefined, { account }: Writing): Values {
  if (!STATE_TYPES.includes(String(draft.stateType))) throw refused(11001, "stateType", String(draft.stateType));
  const taken = [...account.objects.all("state").values()].some(
    ({ id, values }) => values.of === draft.of && values.name === draft.name && id !== before?.id,
  );
  if (taken) throw refused(11000, "name", String(draft.name));
  return { ...draft, entityType: draft.of };
}
