import { refused } from "../call/refusal.ts";
import type { Reading } from "../types/entity-type.ts";
import { isUuid, webId } from "../values/ids.ts";
import type { Reference } from "../values/stored.ts";
import { referenceOf } from "./address.ts";

const SAME_HOST_VERSION = /^\/api\/remap\/1\.[0-2]\//;
const BY_SYNC_ID = /^entity\/([a-z]+)\/syncid\/([0-9a-f-]{36})$/i;

/**
 * Returns the reference for an href of this account, in any version, with the public or the local origin. The query is ignored.
 * A `/syncid/` segment is resolved (platform-contracts 4.4). An id of the web application becomes the API's id (json-api 2).
 * Throws 2013 if the href is not an object's address, 1059 for a foreign host.
 */
export function readHref(href: string, name: string, reading: Reading): Reference {
  const path = pathIn(href, name, reading) ?? "";
  const [, syncType = "", syncId = ""] = BY_SYNC_ID.exec(path) ?? [];
  const synced = syncId === "" ? undefined : reading.account.syncIds.idOf(syncType, syncId.toLowerCase());
  if (synced !== undefined) return { type: syncType, id: synced };
  const reference = referenceOf(path);
  if (reference === undefined || !isUuid(reference.id)) throw refused(2013, name, href);
  const id = reference.id.toLowerCase();
  const known = reading.account.objects.get(reference.type, id);
  return {
    type: reference.type,
    id: known === undefined && reading.account.objects.get(reference.type, webId(id)) !== undefined ? webId(id) : id,
  };
}

/** Returns the path of an href below `/api/remap/1.N/`. Undefined: the href is outside the API. Throws 1059 for a foreign host. */
export function pathIn(href: string, name: string, { call }: Reading): string | undefined {
  const origin = [call.base, call.localBase].find((base) => href.startsWith(`${base}/`));
  if (origin === undefined) throw refused(1059, name, href);
  const [path = ""] = href.slice(origin.length).split(/[?#]/);
  return SAME_HOST_VERSION.test(path) ? path.replace(SAME_HOST_VERSION, "") : undefined;
}
