import type { ElementType } from "./entity-type.ts";
import { fieldTable } from "./field.ts";

/** `agent`: the row for the buyer, which only notes about buyers have. */
const noteRows = (agent = "") => `
    accountId    uuid          ro out
    ${agent}
    author       ref:employee  ro out exp
    created      datetime      ro out
    description  string(4096)  req out
    id           uuid          ro out
`;

/** Completes a note. A later change of the text keeps author and time. */
const complete: ElementType["complete"] = (values, before, _id, { account, call }) => {
  const { type, id } = call.caller.employee;
  return { author: { type, id }, created: account.clock.nowMs(), ...before, ...values };
};

/** A note in the feed of a document (json-api 13.13). Notes have an address, but the document has no field for them. */
export const DOCUMENT_NOTE: ElementType = { name: "note", plainStatuses: true, fields: fieldTable(noteRows()), complete };

/** A note about a buyer (json-api 13.5). */
export const COUNTERPARTY_NOTE: ElementType = {
  name: "note",
  fields: fieldTable(noteRows("agent ref:counterparty ro out exp")),
  complete,
};
