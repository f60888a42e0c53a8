import { readHref } from "../addresses/href.ts";
import { Refusal, refused } from "../call/refusal.ts";
import type { Reading } from "../types/entity-type.ts";
import type { Reference } from "../values/stored.ts";

/**
 * Reads `{ meta: { href, type } }` (json-api 5.1).
 * Throws 2002 if the value is no object, 2014 without meta, 2010 without href, 2011 without type, 2012 for an unknown type.
 * Throws 1059 for a foreign host, 1060 if type and href differ, `foreign` for a type outside `types` (2024 in a mass request), `missing` if
 * the object does not exist.
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
  const found = hrefMeant(href, name, reading);
  // Some fields accept types that the catalogue lacks. Such a type is known for these fields only.
  if (!reading.catalogue.has(type) && !types.includes(type)) throw refused(2012, name, type);
  if (found.type !== type) throw refused(1060, name, href, type);
  if (!types.includes(type)) throw refused(foreign, name, type);
  if (reading.account.pointed(found) === undefined) throw refused(missing, name, href);
  return found;
}

/**
 * Returns the reference for an href. For a foreign host, the error points at the meta's first member. A public client of the platform has
 * recorded an answer with this place (json-api 10.1).
 */
function hrefMeant(href: string, name: string, reading: Reading): Reference {
  try {
    return readHref(href, name, reading);
  } catch (error) {
    if (!(error instanceof Refusal) || error.errors[0]?.code !== 1059) throw error;
    throw error.below("meta", 0);
  }
}

function metaIn(given: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw refused(2002, name);
  const meta = "meta" in given ? given.meta : undefined;
  if (typeof meta !== "object" || meta === null || Array.isArray(meta)) throw refused(2014, name);
  return meta as Readonly<Record<string, unknown>>;
}
