import { hash } from "node:crypto";

/**
 * SHA-256, hex, of everything that a schema read, with one spelling for each amount and for absence. Key order, white
 * space, unknown fields, and the href, type and idType of references do not change it (interface 5 and 6, Same
 * content). The money scale does not change it either: a scale that is pinned between two attempts must not make
 * another document.
 */
export function contentHashOf(request: object): string {
  return hash("sha256", canonical(request));
}

/** SHA-256, hex, of the fields that stay the same when a document comes again under the other id type. */
export function twinOf(request: { storeId: string; name: string; moment: string; totals: unknown }): string {
  return hash("sha256", canonical(request));
}

/** Once a schema has read the body, only references have these members. */
const REFERENCE_MEMBERS = new Set(["type", "idType"]);

/** JSON with sorted keys and without absent members. */
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
