import { jsonExcess } from "../kernel/json/json-bounds.ts";
import { storableText } from "../kernel/json/storable.ts";

/**
 * Objects of banks have about five levels. A list of a hundred payments has about ten thousand brackets, colons and commas (`marks`). The
 * parser calls `kept` for each value. So without the bound on marks, half a megabyte of numbers would block all other work for hundreds of
 * milliseconds.
 */
const BOUNDS = { depth: 32, marks: 30_000 };

/**
 * Bytes read as a JSON object. A number becomes its source text, so amounts, ids and tokens keep every digit. In texts, characters that no
 * database can store are replaced.
 */
type BankJson = { kind: "object"; members: Readonly<Record<string, unknown>> } | { kind: "unreadable"; problem: string };

/** Reads an answer or a notification. The caller limits its length. */
export function readBankJson(bytes: Uint8Array): BankJson {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const excess = jsonExcess(text, BOUNDS);
    if (excess !== undefined) return { kind: "unreadable", problem: excess };
    const value: unknown = JSON.parse(text, kept);
    if (isObject(value)) return { kind: "object", members: value };
    return { kind: "unreadable", problem: "no JSON object" };
  } catch (error) {
    // The decoder throws a TypeError for bytes that are not UTF-8.
    if (error instanceof SyntaxError || error instanceof TypeError) return { kind: "unreadable", problem: "not JSON" };
    throw error;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kept(_name: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value === "string") return storableText(value);
  return typeof value === "number" ? (context?.source ?? String(value)) : value;
}
