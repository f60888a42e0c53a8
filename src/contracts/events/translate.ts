import { createHash } from "node:crypto";
import type { InstallationKey } from "../../accounts/installation.ts";
import type { ChangedObject } from "../../accounts/shop/changed-object.ts";
import { shopTypeNamed } from "../../accounts/shop/shop-object.ts";
import { lastSegment } from "../../kernel/web-address.ts";
import { PLATFORM_ID } from "../../model/operation.ts";
import type { EventBody, NotificationBody } from "./schema.ts";

/** Longest stored request id. The platform's ids are UUIDs. */
const REQUEST_ID_LENGTH = 200;

/** Objects to read again, and the number of events that were skipped. */
interface Changes {
  objects: ChangedObject[];
  /** Events of types that are not stored, or with addresses that lead to no object. */
  ignored: number;
  /** Events of another account. A person has given this server's address to a webhook of that account. */
  foreign: number;
}

export function changesOf({ events }: NotificationBody, { accountId }: InstallationKey): Changes {
  const ofThisAccount = events.filter((event) => event.accountId == null || event.accountId === accountId);
  const objects = ofThisAccount.flatMap(objectOf);
  return { objects, ignored: ofThisAccount.length - objects.length, foreign: events.length - ofThisAccount.length };
}

function objectOf({ meta, action }: EventBody): ChangedObject[] {
  const id = lastSegment(meta.href);
  return shopTypeNamed(meta.type) !== undefined && PLATFORM_ID.test(id) ? [{ type: meta.type, id, action }] : [];
}

/**
 * The name by which repeats of a notification are recognised. It is `requestId` of the query, which stays the same in all repeats (json-api
 * 9.2). Without it, a hash of the body is used if the body names its audit record, which is unique for each change. Without both, the body
 * may be a repeat or a second change. It counts as new: reading an object twice costs one request, but without the reading the stored
 * object would be out of date for up to an hour.
 */
export function nameOf(url: string, bytes: Buffer, { auditContext }: NotificationBody, freshId: () => string): string {
  const query = url.indexOf("?");
  const requestId = query === -1 ? "" : (new URLSearchParams(url.slice(query)).get("requestId") ?? "");
  if (requestId !== "") return requestId.slice(0, REQUEST_ID_LENGTH);
  const audit = auditContext?.meta?.href ?? "";
  return audit === "" ? `nameless:${freshId()}` : `body:${createHash("sha256").update(bytes).digest("hex")}`;
}
