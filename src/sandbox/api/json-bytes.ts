import type { Json, JsonObject } from "../reading/render.ts";

/**
 * The body as JSON in bytes. The rows of a list are turned into bytes one by one: a text of megabytes, made at once and
 * encoded afterwards, takes twice the time.
 */
export function jsonBytes(body: Json): Buffer {
  const list = listIn(body);
  if (list === undefined) return Buffer.from(JSON.stringify(body));
  const head = JSON.stringify(list.head);
  const pieces = [Buffer.from(head === "{}" ? '{"rows":[' : `${head.slice(0, -1)},"rows":[`)];
  for (const [at, row] of list.rows.entries()) pieces.push(Buffer.from(`${at === 0 ? "" : ","}${JSON.stringify(row)}`));
  pieces.push(Buffer.from("]}"));
  return Buffer.concat(pieces);
}

/** Rows that stand last in an object, and what stands before them. */
function listIn(body: Json): { head: JsonObject; rows: readonly Json[] } | undefined {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return undefined;
  const { rows, ...head } = body;
  return Array.isArray(rows) && Object.keys(body).at(-1) === "rows" ? { head, rows } : undefined;
}
