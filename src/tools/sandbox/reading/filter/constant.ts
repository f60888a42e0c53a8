import { readHref } from "../../addresses/href.ts";
import { refused } from "../../call/refusal.ts";
import type { Reading } from "../../types/entity-type.ts";
import { readDatetime } from "../../values/datetime.ts";
import { isUuid } from "../../values/ids.ts";

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const SECOND_MS = 1_000;

/** Returns the number. Throws 1014 for any other text. */
export function numberConstant(text: string, key: string): number {
  const value = Number(text);
  if (!NUMBER.test(text) || !Number.isFinite(value)) throw refused(1014, key, text);
  return value;
}

/**
 * Returns the moment. Throws 1035 for a text that is no moment, 2031 for a year that a datetime cannot have. Answers show
 * whole seconds unless the caller asked for more (D4), so a constant without milliseconds means the whole second.
 */
export function datetimeConstant(text: string, key: string): { value: number; step: number | undefined } {
  if (/^\d{5,}-\d{2}-\d{2}\b/.test(text)) throw refused(2031, key, text);
  const value = readDatetime(text);
  if (value === undefined) throw refused(1035, key, text);
  return { value, step: text.includes(".") ? undefined : SECOND_MS };
}

/** Returns the boolean of `true` or `false`. Throws 1041 for any other text. */
export function booleanConstant(text: string, key: string): boolean {
  if (text !== "true" && text !== "false") throw refused(1041, key, text);
  return text === "true";
}

/** Returns the UUID in lower case. Throws 1014 for any other text. */
export function uuidConstant(text: string, key: string): string {
  if (!isUuid(text)) throw refused(1014, key, text);
  return text.toLowerCase();
}

/** Returns one of the values of a list. Throws 1041 for any other text. */
export function listConstant(text: string, key: string, values: readonly string[]): string {
  if (!values.includes(text)) throw refused(1041, key, text);
  return text;
}

/**
 * Returns the id in the full href of an object of one of the types. Throws 1014 for any other href, 1059 for a foreign host.
 * An href of an object that is missing or hidden is valid: no object matches it.
 */
export function referenceConstant(text: string, key: string, types: readonly string[], reading: Reading): string {
  if (!/^https?:\/\//.test(text)) throw refused(1014, key, text);
  const { type, id } = readHref(text, key, reading);
  if (!types.includes(type)) throw refused(1014, key, text);
  return id;
}
