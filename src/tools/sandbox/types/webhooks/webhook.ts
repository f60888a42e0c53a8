import type { Call } from "../../call/call.ts";
import { refused } from "../../call/refusal.ts";
import type { Stored, Values } from "../../values/stored.ts";
import { ALL_WRITES, BARE } from "../entity-defaults.ts";
import type { EntityType, Writing } from "../entity-type.ts";
import { fieldTable } from "../field.ts";
import { LEFT_OUT } from "../left-out.ts";

/** How many webhooks a user or a solution may have for one pair of type and action (json-api 9.1). */
const MAX_PER_USER = 5;
const MAX_PER_SOLUTION = 1;
const MAX_URL = 255;
const ACTIONS = ["CREATE", "UPDATE", "DELETE", "PROCESSED"];
/** The type of asynchronous tasks. Webhooks can watch it too. A task is never deleted: it ends with `PROCESSED` (json-api 9.1). */
export const ASYNC_TASK = "async";
/** Types whose changes no webhook can watch. The kinds of discount count as `discount`. */
const WITHOUT_WEBHOOKS = new Set([
  ...["webhook", "webhookstock"],
  ...["discount", "accumulationdiscount", "personaldiscount", "specialpricediscount", "roundoffdiscount"],
]);

/** A webhook: an address that is notified of changes (json-api 9.1). It is kept with the `version` and the solution of its creation. */
export const WEBHOOK: EntityType = {
  ...BARE,
  name: "webhook",
  fields: fieldTable(`
    accountId          uuid         ro out
    action             string(255)  req out
    authorApplication  ref:application  ro
    diffType           string(255)
    enabled            bool         out
    entityType         string(255)  req out
    id                 uuid         ro out E
    method             string(255)  out
    url                string(4096) req out
  `),
  offers: ALL_WRITES,
  metadata: true,
  guard: guardWebhooks,
  visible: (stored, call) => call.settings.webhookVersions === "common" || stored.values.version === call.version,
  complete: (draft, { call }) => ({ enabled: true, method: "POST", version: call.version, ...madeBy(call), ...draft }),
  settle: (draft, before, writing) => withoutOldHealth(settle(draft, before, writing), before),
  derive: authorOf,
};

/** The solution that made a webhook. Answers contain only a reference to it. */
export const APPLICATION: EntityType = { ...BARE, name: "application", inner: true, metadata: true, fields: fieldTable("id uuid ro out") };

/** Throws for callers other than the administrator. On the free plan webhooks can only be read and deleted. */
export function guardWebhooks(action: "read" | "create" | "update" | "delete", call: Call): void {
  if (!call.caller.administrator) throw refused(30004);
  if (call.settings.plan === "free" && (action === "create" || action === "update")) throw refused(30006);
}

/** Returns the solution that makes the webhook, if the caller is a solution. The webhooks of each solution are counted separately. */
export function madeBy({ caller }: Call): Values {
  return caller.kind === "solution" ? { solution: caller.appId } : {};
}

/** Returns the member of answers that names the solution that made a webhook. A webhook of a user does not have it. */
export function authorOf({ values }: Stored): Values {
  return typeof values.solution === "string" ? { authorApplication: { type: "application", id: values.solution } } : {};
}

/**
 * Removes the record of failures (json-api 9.3) when the webhook is switched on again or gets another address. The receiver is
 * judged only by later notifications.
 */
export function withoutOldHealth(draft: Values, before: Stored | undefined): Values {
  if (before === undefined) return draft;
  const on = draft.enabled === true && before.values.enabled !== true;
  if (!on && draft.url === before.values.url) return draft;
  const { health, ...rest } = draft;
  return rest;
}

/** Throws for an address that is longer than 255 characters (30010) or no complete URL (30005). */
export function checkUrl(url: unknown): void {
  const text = String(url);
  if (text.length > MAX_URL) throw refused(30010, "url");
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) throw refused(30005, "url");
}

function settle(draft: Values, before: Stored | undefined, writing: Writing): Values {
  const { action, entityType, method, diffType, url } = draft;
  if (!ACTIONS.includes(String(action))) throw refused(30002, undefined, String(action));
  if ((entityType === ASYNC_TASK ? "DELETE" : "PROCESSED") === action) throw refused(30008, undefined, String(action));
  if (!mayBeWatched(String(entityType), writing)) throw refused(30000, undefined, String(entityType));
  if (method !== "POST") throw refused(30001, undefined, String(method));
  if (diffType !== undefined && diffType !== "NONE" && diffType !== "FIELDS") throw refused(2029, "diffType", String(diffType));
  if (diffType === "FIELDS" && action !== "UPDATE") throw refused(30009);
  checkUrl(url);
  refuseSimilar(draft, before, writing);
  return draft;
}

/**
 * A webhook may also watch a type that the sandbox leaves out: the platform has the type (json-api 9.1), and a client that
 * watches all of an account must not fail here. Such a webhook is never told of anything.
 */
function mayBeWatched(entityType: string, { catalogue }: Writing): boolean {
  if (WITHOUT_WEBHOOKS.has(entityType)) return false;
  if (entityType === ASYNC_TASK || LEFT_OUT.has(entityType)) return true;
  const type = catalogue.get(entityType);
  return type !== undefined && type.inner !== true;
}

/**
 * Throws when a similar webhook exists (D18). A setting chooses the rule. `pair`: one webhook for a type and an action. `triple`:
 * one webhook for a type, an action and an address, and at most five for a type and an action.
 */
function refuseSimilar(draft: Values, before: Stored | undefined, { account, call }: Writing): void {
  const same = [...account.objects.all("webhook").values()].filter(
    ({ id, values }) =>
      id !== before?.id &&
      values.action === draft.action &&
      values.entityType === draft.entityType &&
      (call.settings.webhookVersions === "common" || values.version === draft.version),
  );
  if (call.settings.webhookUniqueness === "pair") {
    if (same.length > 0) throw refused(30003);
    return;
  }
  refuseTooMany(draft, same);
}

/** Throws 30003 when a similar webhook has the same address. Throws 30007 when users have five already, or the solution has one. */
export function refuseTooMany(draft: Values, same: readonly Stored[]): void {
  if (same.some(({ values }) => values.url === draft.url)) throw refused(30003);
  const ofSameMaker = same.filter(({ values }) => values.solution === draft.solution);
  if (ofSameMaker.length >= (draft.solution === undefined ? MAX_PER_USER : MAX_PER_SOLUTION)) throw refused(30007);
}
