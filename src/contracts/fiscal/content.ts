import { hash } from "node:crypto";

/**
 * SHA-256, hex, of the output of a schema, which has one spelling for each amount and for absence. The hash does not depend on key order,
 * white space, unknown fields, or a reference's href, type and idType (interface 5 and 6, Same content). Nor does it depend on the money
 * scale, because amounts are hashed as the request states them. So the operator may correct the scale between two attempts of a document.
 */
export function contentHashOf(request: object): string {
  return hash("sha256", canonical(request));
}

/** SHA-256, hex, of the fields that stay the same when a document is sent again under its other type of id. */
export function twinOf(request: { storeId: string; name: string; moment: string; totals: unknown }): string {
  return hash("sha256", canonical(request));
}

/** Members that are not hashed. In the output of the schemas only references have them. */
const REFERENCE_MEMBERS = new Set(["type", "idType"]);

/** JSON with sorted keys, without absent members and without `REFERENCE_MEMBERS`. */
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
