import type { Call } from "../call/call.ts";
import { refused } from "../call/refusal.ts";
import type { Reading } from "../types/entity-type.ts";
import type { JsonObject } from "../values/json.ts";
import type { Stored } from "../values/stored.ts";
import type { Expand } from "./expand.ts";
import { renderObject } from "./render.ts";

/** The largest `limit`, also the default of version 1.2 (json-api 6.1). */
const MAX_LIMIT = 1000;
/** A list allows `expand` and `fields` only with a stated limit up to this (json-api 6.5). */
export const MAX_EXPANDED_LIMIT = 100;

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** Default limits of older versions, as in the documented samples. */
const OLD_WEBHOOK_LIMIT = 25;
const OLD_SUB_COLLECTION_LIMIT = 100;

/**
 * Reads `limit` and `offset` for the list at the path. Throws 1084 for a value that is no whole number, or that is too large. `limit=0`
 * asks only for the size (json-api D6).
 */
export function readPage(path: string, { query, version }: Pick<Call, "query" | "version">): Page {
  const usual = version === "1.2" ? MAX_LIMIT : oldLimitOf(path);
  return { limit: whole(query, "limit", usual, MAX_LIMIT), offset: whole(query, "offset", 0, Number.MAX_SAFE_INTEGER) };
}

function oldLimitOf(path: string): number {
  const [section, type = "", ...below] = path.split("/");
  if (section !== "entity") return MAX_LIMIT;
  if (below.length > 0) return OLD_SUB_COLLECTION_LIMIT;
  return type.startsWith("webhook") ? OLD_WEBHOOK_LIMIT : MAX_LIMIT;
}

function whole(query: URLSearchParams, name: string, fallback: number, max: number): number {
  const text = query.get(name);
  if (text === null) return fallback;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > max) throw refused(1084, name, text);
  return value;
}

/** Returns the members above a list's rows (json-api 5.2): the caller, and the collection's meta with page links. */
export function pageHead(path: string, type: string, size: number, page: Page, reading: Reading): JsonObject {
  return { context: contextOf(reading), meta: collectionMeta(path, type, size, page, reading) };
}

/** Returns the rows of one page, each rendered on demand. */
export function* pageRows(matching: readonly Stored[], { limit, offset }: Page, reading: Reading, expand: Expand): Iterable<JsonObject> {
  const sharing: Reading = { ...reading, shared: { references: new Map(), wholes: new Map() } };
  for (const stored of matching.slice(offset, offset + limit)) yield renderObject(stored, sharing, expand);
}

/** Returns the context of an answer, which links to the caller. */
export function contextOf(reading: Reading): JsonObject {
  const { api } = reading.call;
  return {
    employee: {
      meta: {
        href: `${api}/context/employee`,
        metadataHref: `${api}/entity/employee/metadata`,
        type: "employee",
        mediaType: "application/json",
      },
    },
  };
}

/** Returns a collection's meta. `nextHref` and `previousHref` keep the other query parameters. */
export function collectionMeta(path: string, type: string, size: number, { limit, offset }: Page, reading: Reading): JsonObject {
  const { api, query } = reading.call;
  const at = (from: number, many: number) => {
    const other = new URLSearchParams(query);
    other.set("limit", String(many));
    other.set("offset", String(from));
    return `${api}/${path}?${other}`;
  };
  const meta: JsonObject = { href: `${api}/${path}`, type, mediaType: "application/json", size, limit, offset };
  if (limit > 0 && offset + limit < size) meta.nextHref = at(offset + limit, limit);
  // With an offset below the limit, the previous page has only the elements before the offset (json-api 6.1).
  if (offset > 0) meta.previousHref = offset < limit ? at(0, offset) : at(offset - limit, limit);
  return meta;
}
