import type { Stored, Values } from "../../values/stored.ts";
import { ALL_WRITES, BARE } from "../entity-defaults.ts";
import type { EntityType, Writing } from "../entity-type.ts";
import { fieldTable } from "../field.ts";
import { authorOf, checkUrl, guardWebhooks, madeBy, refuseTooMany, withoutOldHealth } from "./webhook.ts";

/** A stock webhook: a URL that gets notifications of stock changes (json-api 9.5). */
export const WEBHOOKSTOCK: EntityType = {
  ...BARE,
  name: "webhookstock",
  fields: fieldTable(`
    accountId          uuid            ro out
    authorApplication  ref:application ro
    enabled            bool            out
    stockType          enum:stock      req out
    reportType         enum:all|bystore req out
    id                 uuid            ro out E
    url                string(4096)    req out
  `),
  offers: ALL_WRITES,
  metadata: true,
  guard: guardWebhooks,
  complete: (draft, { call }) => ({ enabled: true, version: call.version, ...madeBy(call), ...draft }),
  settle: (draft, before, writing) => withoutOldHealth(settle(draft, before, writing), before),
  derive: authorOf,
};

function settle(draft: Values, before: Stored | undefined, { account }: Writing): Values {
  checkUrl(draft.url);
  const pair = [...account.objects.all("webhookstock").values()].filter(
    ({ id, values }) => id !== before?.id && values.stockType === draft.stockType && values.reportType === draft.reportType,
  );
  refuseTooMany(draft, pair);
  return draft;
}
