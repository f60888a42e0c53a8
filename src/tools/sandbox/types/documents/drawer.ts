import { refused } from "../../call/refusal.ts";
import { numberIn } from "../../values/number.ts";
import type { Stored, Values } from "../../values/stored.ts";
import type { EntityType, Writing } from "../entity-type.ts";
import { keepClosedShift } from "./closed-shift.ts";
import {
  checkShift,
  completeDocument,
  DOCUMENT,
  DOCUMENT_SHAPES,
  documentTable,
  ownCurrency,
  settleDocument,
  withRate,
} from "./document.ts";
import { drawerTemplate } from "./templates.ts";

/** Money put into the drawer (json-api 12.4). `agent` is the employee who put it in. */
export const RETAILDRAWERCASHIN: EntityType = drawerType("retaildrawercashin", "");

/** Money taken out of the drawer (json-api 12.5). Unlike money put in, this type has a `code`. */
export const RETAILDRAWERCASHOUT: EntityType = drawerType("retaildrawercashout", "code  string(255)  T");

function drawerType(name: string, more: string): EntityType {
  return {
    ...DOCUMENT,
    name,
    fields: documentTable(
      `
      agent        ref:employee     req out exp E
      applicable   bool             out E
      files        list:file        out exp
      rate         object:rate      out
      retailShift  ref:retailshift  req out exp E
      state        ref:state        exp E
      sum          number           out C
      updated      datetime         ro out C
      ${more}`,
      DOCUMENT_SHAPES,
    ),
    attributesOf: name,
    webName: name,
    complete: (draft, writing) => ({ applicable: true, ...ownCurrency(writing), ...completeDocument(name, draft, writing) }),
    template: drawerTemplate,
    settle: (draft, before, writing) => settle(name, draft, before, writing),
  };
}

/**
 * Checks the sum and completes the document. The sum must be above zero. The sum is writable, although the documentation marks it read-only
 * (json-api D33).
 */
function settle(name: string, given: Values, before: Stored | undefined, writing: Writing): Values {
  const draft = withRate(given, writing);
  settleDocument(name, draft, before, writing);
  checkShift(draft, before, 3007, writing);
  if (numberIn(draft.sum) <= 0) throw refused(3003, "sum");
  return keepClosedShift(draft, before, 3007, writing);
}
