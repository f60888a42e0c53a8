import type { ElementType } from "../entity-type.ts";
import { fieldTable } from "../field.ts";

/** A note in the feed of a document (13.13). No field of the document holds them: they have an address only. */
export const DOCUMENT_NOTE: ElementType = {
  name: "note",
  plainStatuses: true,
  fields: fieldTable(`
    accountId    uuid          ro out
    author       ref:employee  ro out exp
    created      datetime      ro out
    description  string(4096)  req out
    id           uuid          ro out
  `),
  complete: (values, before, _id, { account, call }) => {
    const { type, id } = call.caller.employee;
    return { author: { type, id }, created: account.clock.nowMs(), ...before, ...values };
  },
};
