import { isDeepStrictEqual } from "node:util";
import type { Account, CommittedChange } from "../account/account.ts";
import { pathOf } from "../addresses/address.ts";
import type { Call } from "../call/call.ts";
import type { Catalogue } from "../types/entity-type.ts";
import { datetimeText } from "../values/datetime.ts";
import type { Json, JsonObject } from "../values/json.ts";
import type { Stored, Value } from "../values/stored.ts";

interface Notification {
  readonly webhook: Stored;
  readonly body: JsonObject;
}

interface NotificationParts {
  readonly account: Account;
  readonly catalogue: Catalogue;
  /** The origin of hrefs in the body. */
  readonly base: string;
  readonly nowMs: number;
  readonly plan: "paid" | "free";
}

/** The change of one object in one request. */
interface Happening {
  readonly stored: Stored;
  readonly action: "CREATE" | "UPDATE" | "DELETE";
  readonly updatedFields: readonly string[];
}

/**
 * Returns one notification for each enabled webhook that the request's changes concern, with events in the order of changes (json-api D21).
 */
export function notificationsOf(
  changes: readonly CommittedChange[],
  cause: Call | undefined,
  parts: NotificationParts,
): readonly Notification[] {
  const happenings = happeningsIn(changes, parts.catalogue);
  if (happenings.length === 0 || parts.plan === "free") return [];
  return [...parts.account.objects.all("webhook").values()].flatMap((webhook) => {
    const { entityType, action, enabled, url } = webhook.values;
    const mine = happenings.filter((happening) => happening.stored.type === entityType && happening.action === action);
    if (mine.length === 0 || enabled !== true || isMuted(String(url), cause)) return [];
    return [{ webhook, body: bodyOf(webhook, mine, cause, parts) }];
  });
}

/** An object before and after a whole request. */
interface Course {
  readonly before: Stored | undefined;
  readonly after: Stored | undefined;
  readonly named: ReadonlySet<string> | undefined;
}

/**
 * Returns the events. Several changes of one object are one event, from its first state to its last. Objects of inner types and of types
 * outside the catalogue cause no event.
 */
function happeningsIn(changes: readonly CommittedChange[], catalogue: Catalogue): readonly Happening[] {
  const courses = new Map<string, Course>();
  for (const { before, after, named } of changes) {
    const stored = after ?? before;
    if (stored === undefined || catalogue.get(stored.type)?.inner !== undefined || !catalogue.has(stored.type)) continue;
    const key = `${stored.type}/${stored.id}`;
    const earlier = courses.get(key) ?? { before, named: undefined };
    courses.set(key, { before: earlier.before, after, named: joined(earlier.named, named) });
  }
  return [...courses.values()].flatMap(happeningOf);
}

function joined(one: Course["named"], other: Course["named"]): Course["named"] {
  return one === undefined || other === undefined ? (one ?? other) : new Set([...one, ...other]);
}

function happeningOf({ before, after, named }: Course): Happening[] {
  const stored = after ?? before;
  // An object made and removed in one request causes no event.
  if (stored === undefined) return [];
  if (before === undefined) return [{ stored, action: "CREATE", updatedFields: [] }];
  if (after === undefined) return [{ stored, action: "DELETE", updatedFields: [] }];
  const changed = changedFields(before.values, after.values);
  // A write without a changed value causes no event.
  if (changed.length === 0) return [];
  // Only fields in the request count (json-api 9.2, D22), not computed sums and names.
  return [{ stored, action: "UPDATE", updatedFields: changed.filter((name) => named?.has(name) !== false) }];
}

function changedFields(before: Stored["values"], after: Stored["values"]): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  names.delete("updated");
  names.delete("updatedBy");
  return [...names].filter((name) => !isDeepStrictEqual(before[name], after[name])).sort();
}

function isMuted(url: string, cause: Call | undefined): boolean {
  const muted = cause?.mutedWebhooks ?? [];
  return muted === "all" || muted.some((prefix) => url.startsWith(prefix));
}

function bodyOf({ values }: Stored, happenings: readonly Happening[], cause: Call | undefined, parts: NotificationParts): JsonObject {
  const api = `${parts.base}/api/remap/${String(values.version)}`;
  const events = happenings.map(
    ({ stored, action, updatedFields }): Json => ({
      meta: { type: stored.type, href: `${api}/${pathOf(stored, parts.account)}` },
      action,
      accountId: parts.account.id,
      ...(values.diffType === "FIELDS" ? { updatedFields: [...updatedFields] } : {}),
    }),
  );
  return cause === undefined ? { events } : { auditContext: auditOf(api, cause, parts), events };
}

/** Returns who made the change, and when (json-api 9.2). */
function auditOf(api: string, cause: Call, { account, nowMs }: NotificationParts): JsonObject {
  const { caller } = cause;
  const uid = account.objects.get("employee", caller.employee.id)?.values.uid as Value | undefined;
  return {
    meta: { type: "audit", href: `${api}/audit/${account.passingId()}` },
    uid: typeof uid === "string" ? uid : caller.kind === "user" ? caller.login : caller.appId,
    moment: datetimeText(nowMs),
  };
}
