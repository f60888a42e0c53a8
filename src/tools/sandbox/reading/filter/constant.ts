import { readHref } from "../../addresses/href.ts";
import { refused } from "../../call/refusal.ts";
import type { Reading } from "../../types/entity-type.ts";
import { readDatetime } from "../../values/datetime.ts";
import { isUuid } from "../../values/ids.ts";

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const SECOND_MS = 1_000;

/** Returns the number. Throws 1014 if the text is no number. */
export function numberConstant(text: string, key: string): number {
  const value = Number(text);
  if (!NUMBER.test(text) || !Number.isFinite(value)) throw refused(1014, key, text);
  return value;
}

/**
 * Returns the moment in ms since the epoch. Throws 1035 for an invalid moment, 2031 for a year with more than four digits. Answers show
 * whole seconds by default (json-api D4), so a constant without milliseconds means the whole second.
 */
export function datetimeConstant(text: string, key: string): { value: number; step: number | undefined } {
  if (/^\d{5,}-\d{2}-\d{2}\b/.test(text)) throw refused(2031, key, text);
  const value = readDatetime(text);
  if (value === undefined) throw refused(1035, key, text);
  return { value, step: text.includes(".") ? undefined : SECOND_MS };
}

/** Returns the boolean. Throws 1041 if the text is neither `true` nor `false`. */
export function booleanConstant(text: string, key: string): boolean {
  if (text !== "true" && text !== "false") throw refused(1041, key, text);
  return text === "true";
}

/** Returns the UUID in lower case. Throws 1014 if the text is no UUID. */
export function uuidConstant(text: string, key: string): string {
  if (!isUuid(text)) throw refused(1014, key, text);
  return text.toLowerCase();
}

/** Returns the text if `values` has it. Throws 1041 otherwise. */
export function listConstant(text: string, key: string, values: readonly string[]): string {
  if (!values.includes(text)) throw refused(1041, key, text);
  return text;
}

/**
 * Returns the id in the full href of an object. Throws 1014 if the text is no href, or if its type is not in `types`. Throws 2013 if the
 * href is not an object's address, 1059 for a foreign host. The object need not exist.
 */
export function referenceConstant(text: string, key: string, types: readonly string[], reading: Reading): string {
  if (!/^https?:\/\//.test(text)) throw refused(1014, key, text);
  const { type, id } = readHref(text, key, reading);
  if (!types.includes(type)) throw refused(1014, key, text);
  return id;
}
