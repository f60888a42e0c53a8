import { refused } from "../../call/refusal.ts";
import { type Stored, shapeIn, type Values } from "../../values/stored.ts";
import type { Writing } from "../entity-type.ts";
import { ASSORTMENT_SETTINGS, settingsOf } from "../settings.ts";

const GOODS = ["product", "variant", "bundle", "service"];

/** Throws 3006 if other goods have the body's code and the company's settings demand unique codes (json-api 7.1). */
export function checkUniqueCode(draft: Values, before: Stored | undefined, writing: Writing): void {
  const { account, given } = writing;
  if (
    !given.has("code") ||
    shapeIn(settingsOf(ASSORTMENT_SETTINGS, writing).uniqueCodeRules)?.checkUniqueCode !== true ||
    draft.code === undefined ||
    draft.code === ""
  )
    return;
  for (const type of GOODS) {
    for (const id of account.holders.of(type, "code", draft.code)) if (id !== before?.id) throw refused(3006, "code");
  }
}
