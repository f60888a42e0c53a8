import { isUuid, webId } from "../account/ids.ts";
import type { Reference } from "../account/stored.ts";
import { refused } from "../call/refusal.ts";
import { referenceOf } from "../reading/address.ts";
import type { Reading } from "../reading/reading.ts";

const SAME_HOST_VERSION = /^\/api\/remap\/1\.[0-2]\//;

/**
 * Reads `{ meta: { href, type } }` (5.1). Throws a `Refusal`: 2014 without meta, 2010 and 2011 without href and
 * type, 2012 for an unknown type, 1059 for a foreign host, 1060 when type and href differ, 2027 for a type that
 * the field does not take (2024 where the reference is the element's own), 2013 (or the field's own code) when nothing is there.
 */
export function readReference(
  given: unknown,
  name: string,
  types: readonly string[],
  reading: Reading,
  { missing = 2013, foreign = 2027 }: { readonly missing?: number | undefined; readonly foreign?: number } = {},
): Reference {
  const meta = metaIn(given, name);
  const { href, type } = meta;
  if (typeof href !== "string" || href === "") throw refused(2010, name);
  if (typeof type !== "string" || type === "") throw refused(2011, name);
  const found = readHref(href, name, reading);
  // Some fields point at types that have no table here.
  if (!reading.catalogue.has(type) && !types.includes(type)) throw refused(2012, name, type);
  if (found.type !== type) throw refused(1060, name, href, type);
  if (!types.includes(type)) throw refused(foreign, name, type);
  if (reading.account.pointed(found) === undefined) throw refused(missing, name, href);
  return found;
}

const BY_SYNC_ID = /^entity\/([a-z]+)\/syncid\/([0-9a-f-]{36})$/i;

/**
 * What an href of this account points at, whichever of its versions and hosts it is written with; the query part does not count. A
 * `/syncid/` segment is followed (platform-contracts 4.4).
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

/** The path below `{api}` of an href of this account; undefined: it is none of the API; a foreign host is 1059. */
export function pathIn(href: string, name: string, { call }: Reading): string | undefined {
  const origin = [call.base, call.localBase].find((base) => href.startsWith(`${base}/`));
  if (origin === undefined) throw refused(1059, name, href);
  const [path = ""] = href.slice(origin.length).split(/[?#]/);
  return SAME_HOST_VERSION.test(path) ? path.replace(SAME_HOST_VERSION, "") : undefined;
}

function metaIn(given: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw refused(2002, name);
  const meta = "meta" in given ? given.meta : undefined;
  if (typeof meta !== "object" || meta === null || Array.isArray(meta)) throw refused(2014, name);
  return meta as Readonly<Record<string, unknown>>;
}
