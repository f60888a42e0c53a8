import { createHash } from "node:crypto";
import type { InstallationKey } from "../../accounts/installation.ts";
import type { ChangedObject } from "../../accounts/shop/changed-object.ts";
import { shopTypeNamed } from "../../accounts/shop/shop-object.ts";
import { lastSegment } from "../../kernel/address-path.ts";
import { PLATFORM_ID } from "../../model/operation.ts";
import type { EventBody, NotificationBody } from "./schema.ts";

/** Longest request id that is kept; the platform's are UUIDs. */
const REQUEST_ID_LENGTH = 200;

/** What is to be read again, and how many events say nothing of it. */
interface Changes {
  objects: ChangedObject[];
  /** Types of which nothing is kept, addresses that lead to no object. */
  ignored: number;
  /** Somebody gave our address to a webhook of another account: its objects are none of ours. */
  foreign: number;
}

export function changesOf({ events }: NotificationBody, { accountId }: InstallationKey): Changes {
  const ours = events.filter((event) => event.accountId == null || event.accountId === accountId);
  const objects = ours.flatMap(objectOf);
  return { objects, ignored: ours.length - objects.length, foreign: events.length - ours.length };
}

function objectOf({ meta, action }: EventBody): ChangedObject[] {
  const id = lastSegment(meta.href);
  return shopTypeNamed(meta.type) !== undefined && PLATFORM_ID.test(id) ? [{ type: meta.type, id, action }] : [];
}

/**
 * The name under which repeats of a notification are known: `requestId` of the query, which stays equal in all of them
 * (json-api 9.2). Without it the body speaks for itself as far as it names its audit record, of which each change has its own.
 * A body without either may be a repeat or a second change of the same object, and cannot tell: it is taken for new, since reading
 * an object twice costs one request and a change that is passed over is wrong for an hour.
 */
export function nameOf(url: string, bytes: Buffer, { auditContext }: NotificationBody, freshId: () => string): string {
  const query = url.indexOf("?");
  const requestId = query === -1 ? "" : (new URLSearchParams(url.slice(query)).get("requestId") ?? "");
  if (requestId !== "") return requestId.slice(0, REQUEST_ID_LENGTH);
  const audit = auditContext?.meta?.href ?? "";
  return audit === "" ? `nameless:${freshId()}` : `body:${createHash("sha256").update(bytes).digest("hex")}`;
}
