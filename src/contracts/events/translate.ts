import { createHash } from "node:crypto";
import type { InstallationKey } from "../../accounts/installation.ts";
import type { ChangedObject } from "../../accounts/shop/changed-object.ts";
import { shopTypeNamed } from "../../accounts/shop/shop-object.ts";
import { storableText } from "../../kernel/json/storable.ts";
import { lastSegment } from "../../kernel/web-address.ts";
import { PLATFORM_ID } from "../../model/operation.ts";
import type { EventBody, NotificationBody } from "./schema.ts";

/** A longer request id is cut. The platform's request ids are UUIDs, which are shorter. */
const REQUEST_ID_LENGTH = 200;

interface Changes {
  objects: ChangedObject[];
  /** The number of this account's events that are ignored: no objects of the type are stored, or the address does not end in an id. */
  ignored: number;
  /** The number of another account's events. They come when a person enters this installation's address in a webhook of that account. */
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
 * The name that identifies repeats of a notification. It is the `requestId` of the query, which is the same in all repeats (json-api 9.2).
 * Without `requestId` the name is the hash of the body, if the body names an audit record (`auditContext`): each change has a different
 * record, so only repeats have equal bodies. Without `requestId` and audit record the notification counts as new. An unneeded reading costs
 * only requests, but a missed change would leave the stored object out of date until the hourly reading.
 */
export function nameOf(url: string, bytes: Buffer, { auditContext }: NotificationBody, freshId: () => string): string {
  const query = url.indexOf("?");
  const requestId = query === -1 ? "" : (new URLSearchParams(url.slice(query)).get("requestId") ?? "");
  if (requestId !== "") return storableText(requestId.slice(0, REQUEST_ID_LENGTH));
  const audit = auditContext?.meta?.href ?? "";
  return audit === "" ? `nameless:${freshId()}` : `body:${createHash("sha256").update(bytes).digest("hex")}`;
}
