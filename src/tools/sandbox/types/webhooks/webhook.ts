import type { Call } from "../../call/call.ts";
import { refused } from "../../call/refusal.ts";
import type { Stored, Values } from "../../values/stored.ts";
import { ALL_WRITES, BARE } from "../entity-defaults.ts";
import type { EntityType, Writing } from "../entity-type.ts";
import { fieldTable } from "../field.ts";
import { LEFT_OUT } from "../left-out.ts";

/** The maximum number of webhooks for one pair of type and action: of all users together, and of each solution (json-api 9.1). */
const MAX_PER_USER = 5;
const MAX_PER_SOLUTION = 1;
const MAX_URL = 255;
const ACTIONS = ["CREATE", "UPDATE", "DELETE", "PROCESSED"];
/** The type of asynchronous tasks. Webhooks can watch this type, with the action `PROCESSED` instead of `DELETE` (json-api 9.1). */
export const ASYNC_TASK = "async";
/** The types that no webhook can watch (json-api 9.1). The kinds of discount count as `discount`. */
const WITHOUT_WEBHOOKS = new Set([
  ...["webhook", "webhookstock"],
  ...["discount", "accumulationdiscount", "personaldiscount", "specialpricediscount", "roundoffdiscount"],
]);

/** A webhook: a URL that gets notifications of changes (json-api 9.1). It is stored with its `version` and solution. */
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

/** The solution that made a webhook. Answers contain only a reference. */
export const APPLICATION: EntityType = { ...BARE, name: "application", inner: true, metadata: true, fields: fieldTable("id uuid ro out") };

/** Throws 30004 if the caller has no administrator rights. The free plan can only read and delete webhooks (30006). */
export function guardWebhooks(action: "read" | "create" | "update" | "delete", call: Call): void {
  if (!call.caller.administrator) throw refused(30004);
  if (call.settings.plan === "free" && (action === "create" || action === "update")) throw refused(30006);
}

/** Returns the solution that makes the webhook, if the caller is a solution. Webhooks are counted for each solution separately. */
export function madeBy({ caller }: Call): Values {
  return caller.kind === "solution" ? { solution: caller.appId } : {};
}

/** Returns `authorApplication` for a webhook of a solution, and nothing for a webhook of a user. */
export function authorOf({ values }: Stored): Values {
  return typeof values.solution === "string" ? { authorApplication: { type: "application", id: values.solution } } : {};
}

/** Removes the failure record (json-api 9.3) if the webhook is enabled again or gets another URL. Only later notifications then count. */
export function withoutOldHealth(draft: Values, before: Stored | undefined): Values {
  if (before === undefined) return draft;
  const on = draft.enabled === true && before.values.enabled !== true;
  if (!on && draft.url === before.values.url) return draft;
  const { health, ...rest } = draft;
  return rest;
}

/** Throws 30010 for a URL above 255 characters, 30005 if it is no complete http or https URL. */
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
 * Whether a webhook may watch the type. Types that the sandbox leaves out are allowed: the platform has them (json-api 9.1), and a client
 * that watches every type must not fail. Left-out types never cause a notification.
 */
function mayBeWatched(entityType: string, { catalogue }: Writing): boolean {
  if (WITHOUT_WEBHOOKS.has(entityType)) return false;
  if (entityType === ASYNC_TASK || LEFT_OUT.has(entityType)) return true;
  const type = catalogue.get(entityType);
  return type !== undefined && type.inner !== true;
}

/**
 * Throws if a similar webhook exists (json-api D18). Webhooks of other versions are compared only if `webhookVersions` is `common`. The
 * setting `webhookUniqueness` decides what is similar. `pair`: there may be one webhook for a type and an action. `triple`: there may be
 * one webhook for a type, an action and a URL, and a maximum number of webhooks for each type and action.
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

/**
 * Throws 30003 if a webhook in `same` has the same URL. Throws 30007 if `same` already has the maximum: five webhooks of users, or one
 * webhook of the draft's solution.
 */
export function refuseTooMany(draft: Values, same: readonly Stored[]): void {
  if (same.some(({ values }) => values.url === draft.url)) throw refused(30003);
  const ofSameMaker = same.filter(({ values }) => values.solution === draft.solution);
  if (ofSameMaker.length >= (draft.solution === undefined ? MAX_PER_USER : MAX_PER_SOLUTION)) throw refused(30007);
}
