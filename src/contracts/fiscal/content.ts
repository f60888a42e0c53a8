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
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  let text = "";
  if (Array.isArray(value)) {
    for (const item of value) text += text === "" ? canonical(item) : `,${canonical(item)}`;
    return `[${text}]`;
  }
  const members = value as Record<string, unknown>;
  for (const name of Object.keys(members).sort()) {
    const member = members[name];
    if (member === undefined || REFERENCE_MEMBERS.has(name)) continue;
    text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${canonical(member)}`;
  }
  return `{${text}}`;
}
