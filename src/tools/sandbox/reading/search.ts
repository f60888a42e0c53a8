import type { EntityType, Search } from "../types/entity-type.ts";
import type { Stored, Value, Values } from "../values/stored.ts";
import type { ValueSource } from "./filter/predicate.ts";

/** Returns the relevance of the object at a place: 0 is best, undefined is no match. */
type Relevance = (place: number) => number | undefined;

/** The number of ranks: a field equals the text, a field begins with it, or another match, such as a barcode. */
export const RANKS = 3;

const WORD_CHARACTER = /[\p{L}\p{N}]/u;
/** The form and the minimum number of digits of a text that may be part of a phone number (json-api D43). */
const PHONE_WISH = /^[\d\s+().-]+$/;
const MIN_PHONE_DIGITS = 5;

/** The searched text in lower case, its words, and its digits if it may be a phone number. */
interface Wish {
  readonly whole: string;
  readonly words: readonly string[];
  readonly digits: string | undefined;
}

/** The values of one field by place, in lower case. A list field has several values. */
type Texts = readonly (string | readonly string[] | undefined)[];

/** Returns how well objects match a text in the type's search fields (json-api 6.4), ignoring letter case. Undefined: the text is empty. */
export function searchRelevance(text: string, { search }: EntityType, source: ValueSource): Relevance | undefined {
  const whole = text.trim().toLowerCase();
  if (whole === "") return undefined;
  const wish: Wish = { whole, words: whole.split(/\s+/), digits: phoneDigits(whole) };
  const codes = search.fields.filter(isCode).map((field) => textsOf(field, source));
  const texts = search.fields.filter((field) => !isCode(field)).map((field) => textsOf(field, source));
  const phones = search.fields.filter(isPhone).map((field) => textsOf(field, source));
  const matches = MATCHERS[search.match];
  return (place) => {
    const own = valuesAt(texts, place);
    const found =
      matches(own, wish) ||
      (phones.length > 0 && valuesAt(phones, place).some((phone) => isInPhone(phone, wish))) ||
      (codes.length > 0 && valuesAt(codes, place).includes(whole));
    return found ? rankOf(own, whole) : undefined;
  };
}

const MATCHERS: Readonly<Record<Search["match"], (own: readonly string[], wish: Wish) => boolean>> = {
  "word-prefix": (own, { words }) => words.every((word) => own.some((value) => hasWordFrom(value, word))),
  substring: (own, { whole }) => own.some((value) => value.includes(whole)),
  inside: (own, { words }) => words.every((word) => own.some((value) => value.includes(word))),
};

function isPhone(field: string): boolean {
  return field === "phone" || field.endsWith(".phone");
}

/** Whether the field is a code, which matches only as a whole. */
function isCode(field: string): boolean {
  return field === "barcodes" || field.endsWith(".barcodes");
}

/** Whether the phone number contains the text (json-api D43), as written or by digits. A leading 8 does not match a 7. */
function isInPhone(phone: string, { whole, digits }: Wish): boolean {
  return phone.includes(whole) || (digits !== undefined && digitsIn(phone).includes(digits));
}

function phoneDigits(wish: string): string | undefined {
  const digits = digitsIn(wish);
  return PHONE_WISH.test(wish) && digits.length >= MIN_PHONE_DIGITS ? digits : undefined;
}

function digitsIn(text: string): string {
  return text.replace(/\D/g, "");
}

function textsOf(field: string, source: ValueSource): Texts {
  const steps = field.split(".");
  const one = steps.length === 1 && !isCode(field);
  return source.column(`${field} in lower case`, ({ values }: Stored) => {
    if (!one) return textsBelow(values, steps).map((text) => text.toLowerCase());
    const value = values[field];
    return typeof value === "string" ? value.toLowerCase() : undefined;
  });
}

/** Returns the texts at the end of a path through lists. An element's fields may be in `values`. A barcode is an object with one text. */
function textsBelow(values: Values, [step = "", ...rest]: readonly string[]): readonly string[] {
  const value = values[step];
  const each = Array.isArray(value) ? (value as readonly Value[]) : value === undefined ? [] : [value];
  return each.flatMap((one) => {
    if (typeof one === "string") return [one];
    if (typeof one !== "object" || one === null) return [];
    const inner = ("values" in one ? one.values : one) as Values;
    if (rest.length > 0) return textsBelow(inner, rest);
    return Object.values(inner).filter((text) => typeof text === "string");
  });
}

function valuesAt(columns: readonly Texts[], place: number): readonly string[] {
  const own: string[] = [];
  for (const column of columns) {
    const value = column[place];
    if (typeof value === "string") own.push(value);
    else if (value !== undefined) own.push(...value);
  }
  return own;
}

function rankOf(values: readonly string[], wish: string): number {
  if (values.includes(wish)) return 0;
  return values.some((value) => value.startsWith(wish)) ? 1 : 2;
}

/** Whether a word of the text begins with the prefix. */
export function hasWordFrom(text: string, prefix: string): boolean {
  for (let at = text.indexOf(prefix); at >= 0; at = text.indexOf(prefix, at + 1)) {
    if (at === 0 || !WORD_CHARACTER.test(text.charAt(at - 1))) return true;
  }
  return false;
}
