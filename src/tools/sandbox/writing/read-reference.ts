import { readHref } from "../addresses/href.ts";
import { refused } from "../call/refusal.ts";
import type { Reading } from "../types/entity-type.ts";
import type { Reference } from "../values/stored.ts";

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

function metaIn(given: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw refused(2002, name);
  const meta = "meta" in given ? given.meta : undefined;
  if (typeof meta !== "object" || meta === null || Array.isArray(meta)) throw refused(2014, name);
  return meta as Readonly<Record<string, unknown>>;
}
