import { readHref } from "../../addresses/href.ts";
import { refused } from "../../call/refusal.ts";
import type { Reading } from "../../types/entity-type.ts";
import { readDatetime } from "../../values/datetime.ts";
import { isUuid } from "../../values/ids.ts";

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const SECOND_MS = 1_000;

/** A number; anything else is 1014. */
export function numberConstant(text: string, key: string): number {
  const value = Number(text);
  if (!NUMBER.test(text) || !Number.isFinite(value)) throw refused(1014, key, text);
  return value;
}

/**
 * A moment: 1035 for what is none, 2031 for a year that a datetime cannot have. Answers show whole seconds to
 * whoever did not ask for more (D4), so that a constant without milliseconds means the whole second.
 */
export function datetimeConstant(text: string, key: string): { value: number; step: number | undefined } {
  if (/^\d{5,}-\d{2}-\d{2}\b/.test(text)) throw refused(2031, key, text);
  const value = readDatetime(text);
  if (value === undefined) throw refused(1035, key, text);
  return { value, step: text.includes(".") ? undefined : SECOND_MS };
}

/** `true` or `false`; anything else is 1041. */
export function booleanConstant(text: string, key: string): boolean {
  if (text !== "true" && text !== "false") throw refused(1041, key, text);
  return text === "true";
}

/** A UUID in letters of either case; anything else is 1014. */
export function uuidConstant(text: string, key: string): string {
  if (!isUuid(text)) throw refused(1014, key, text);
  return text.toLowerCase();
}

/** One of the values of a list; anything else is 1041. */
export function listConstant(text: string, key: string, values: readonly string[]): string {
  if (!values.includes(text)) throw refused(1041, key, text);
  return text;
}

/**
 * The id behind the full href of an object of one of the types; 1014 for what is no such href, 1059 for another
 * host's. An object that is not there, or not to be seen, is no fault: nothing will match.
 */
export function referenceConstant(text: string, key: string, types: readonly string[], reading: Reading): string {
  if (!/^https?:\/\//.test(text)) throw refused(1014, key, text);
  const { type, id } = readHref(text, key, reading);
  if (!types.includes(type)) throw refused(1014, key, text);
  return id;
}
