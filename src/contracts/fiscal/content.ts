import { hash } from "node:crypto";

/**
 * SHA-256, hex, of everything that a schema read: amounts in one spelling, absence in one way. Key order, white space, unknown fields, and the href, type
 * and idType of references do not count (interface 5 and 6, Same content); nor does the money scale, so
 * that a scale pinned between two attempts does not make another document of it.
 */
export function contentHashOf(request: object): string {
  return hash("sha256", canonical(request));
}

/** SHA-256, hex, of what stays the same when a document comes a second time under the other id type. */
export function twinOf(request: { storeId: string; name: string; moment: string; totals: unknown }): string {
  return hash("sha256", canonical(request));
}

/** Only references have these members once a schema has read them. */
const REFERENCE_MEMBERS = new Set(["type", "idType"]);

/** JSON with sorted keys and without what is absent. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = value as Record<string, unknown>;
  const counting = Object.keys(members).filter((name) => members[name] !== undefined && !REFERENCE_MEMBERS.has(name));
  return `{${counting
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(members[name])}`)
    .join(",")}}`;
}
