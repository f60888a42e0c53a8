import { PlatformFailure } from "./api/failure.ts";
import type { CollectionMeta } from "./entities/meta.ts";

/** One page of a list (json-api 5.2). */
export interface Page<Row> {
  readonly meta: CollectionMeta;
  readonly rows: readonly Row[];
}

/**
 * The maximum number of rows of a page (json-api 6.1). The rows are handled without a pause, and an answer of the allowed length could
 * contain hundreds of thousands of empty rows.
 */
const MAX_ROWS = 1_000;

/** Checks that a body is a page. Rows are not checked, and unknown fields are kept. */
export function pageIn<Row>(body: unknown, path: string): Page<Row> {
  const rows = inside(body, "rows");
  const meta = inside(body, "meta");
  if (!Array.isArray(rows) || typeof inside(meta, "size") !== "number")
    throw new PlatformFailure("unavailable", `${path} answered with something else than a list`);
  if (rows.length > MAX_ROWS) throw new PlatformFailure("unavailable", `${path} answered with a page of more than ${MAX_ROWS} rows`);
  return { meta: meta as CollectionMeta, rows: rows as readonly Row[] };
}

/** Checks that a body is an object with meta, which every object has. */
export function objectIn<Whole>(body: unknown, path: string): Whole {
  if (typeof body !== "object" || body === null || Array.isArray(body) || inside(body, "meta") === undefined)
    throw new PlatformFailure("unavailable", `${path} answered with something else than an object`);
  return body as Whole;
}

/** Checks that a body is an array, such as the answer to a request that writes several objects. */
export function arrayIn<Each>(body: unknown, path: string): readonly Each[] {
  if (!Array.isArray(body)) throw new PlatformFailure("unavailable", `${path} answered with something else than an array`);
  return body as readonly Each[];
}

/**
 * True for an incomplete expanded collection. An expanded collection has at most 100 rows; its address returns the further rows (json-api
 * 5.2).
 */
export function isCut({ meta, rows }: Page<unknown>): boolean {
  return meta.offset + rows.length < meta.size;
}

function inside(from: unknown, name: string): unknown {
  return typeof from === "object" && from !== null ? Reflect.get(from, name) : undefined;
}
