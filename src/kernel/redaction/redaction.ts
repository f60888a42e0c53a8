import { cutText } from "../cut-text.ts";
import { HIDDEN, withoutSecrets } from "./secret-texts.ts";

/**
 * The names of values that never reach a log: secrets and data of buyers. The comparison covers every depth and ignores case, `-` and
 * `_`.
 */
const HIDDEN_NAMES = new Set([
  // secrets
  "authorization",
  "proxyauthorization",
  "cookie",
  "setcookie",
  "password",
  "operatorpassword",
  "systempassword",
  "secret",
  "secretkey",
  "privatekey",
  "publickey",
  "token",
  "accesstoken",
  "loyaltytoken",
  "contextkey",
  "credentials",
  "signature",
  "jwt",
  "sealed",
  "platformdiscountapiauthtoken",
  "lognexdiscountapiauthtoken",
  // buyers
  "phone",
  "email",
  "buyercontact",
  "mark",
  "marks",
  "cis",
  "body",
  "rawbody",
]);

/** The deepest nesting that is logged. This bound also ends the redaction of an object that contains itself. */
const MAX_DEPTH = 8;
/** The largest number of logged items of a list. The log shows only the number of further items. */
const MAX_ITEMS = 50;
/** The largest number of logged members of an object. Objects from outside, such as headers, may have more. */
const MAX_MEMBERS = 100;
/** The longest member name that is shown. This program's names are shorter, so a longer name came from outside. */
const MAX_NAME_LENGTH = 64;
/**
 * The longest text that is shown. An error's stack has two thousand characters, and the platform's error texts have a few hundred. A text
 * above the limit is a whole web page, and its end is not needed.
 */
const MAX_TEXT_LENGTH = 8_192;
/**
 * The largest number of characters of all texts among one line's values together, because writing a line blocks the event loop. A text
 * that is cut counts with its limit, although the cut may leave fewer characters. Names and the notes about a cut are not counted.
 */
const MAX_LINE_LENGTH = 32_768;
const MAX_LINE_VALUES = 1_000;

/** Returns the values of a log line without secrets. */
export function redacted(values: Record<string, unknown>): Record<string, unknown> {
  return new Redaction().members(values, 0);
}

/** Returns the text of a log line without secrets. The text is cut first, never inside a secret. */
export function redactedText(text: string): string {
  return withoutSecrets(cut(text, MAX_TEXT_LENGTH));
}

/** Cuts a text that is too long, and appends its full length, so that the reader sees that the text was cut. */
function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${cutText(text, maxLength)}… [${text.length} characters]`;
}

/** Redacts the values of one line and counts down the allowed characters and values. */
class Redaction {
  #length = MAX_LINE_LENGTH;
  #values = MAX_LINE_VALUES;

  members(values: object, depth: number): Record<string, unknown> {
    const clean: Record<string, unknown> = {};
    const names = Object.keys(values);
    for (const name of names.slice(0, MAX_MEMBERS)) {
      const value: unknown = Reflect.get(values, name);
      clean[shortName(name)] = value !== undefined && value !== null && isHidden(name) ? HIDDEN : this.#value(value, depth + 1);
    }
    if (names.length > MAX_MEMBERS) clean["…"] = `[${names.length - MAX_MEMBERS} more]`;
    return clean;
  }

  #value(value: unknown, depth: number): unknown {
    this.#values -= 1;
    if (this.#values < 0) return "[cut]";
    if (typeof value === "string") return this.#text(value);
    if (typeof value === "bigint") return this.#text(value.toString());
    if (typeof value !== "object" || value === null) return value;
    if (depth > MAX_DEPTH) return "[deep]";
    if (value instanceof Error) return this.#error(value, depth);
    if (value instanceof Uint8Array) return `[${value.length} bytes]`;
    if (Array.isArray(value)) return this.#list(value, depth);
    if ("toJSON" in value && typeof value.toJSON === "function") return this.#value(value.toJSON(), depth + 1);
    return this.members(value, depth);
  }

  #text(text: string): string {
    const maxLength = Math.min(MAX_TEXT_LENGTH, this.#length);
    this.#length -= Math.min(maxLength, text.length);
    return withoutSecrets(cut(text, maxLength));
  }

  #list(list: readonly unknown[], depth: number): unknown[] {
    const clean = list.slice(0, MAX_ITEMS).map((item) => this.#value(item, depth + 1));
    return list.length > MAX_ITEMS ? [...clean, `[${list.length - MAX_ITEMS} more]`] : clean;
  }

  #error(error: Error, depth: number): Record<string, unknown> {
    const { name, message, stack, cause } = error;
    return {
      type: shortName(name),
      message: this.#text(message),
      ...this.members(error, depth),
      ...(stack === undefined ? {} : { stack: this.#text(stack) }),
      ...(cause === undefined ? {} : { cause: this.#value(cause, depth + 1) }),
    };
  }
}

function isHidden(name: string): boolean {
  return HIDDEN_NAMES.has(name.slice(0, MAX_NAME_LENGTH).toLowerCase().replace(/[-_]/g, ""));
}

function shortName(name: string): string {
  return name.length <= MAX_NAME_LENGTH ? name : `[name of ${name.length} characters]`;
}
