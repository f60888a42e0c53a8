import { composed, decomposed } from "../../kernel/normal-form.ts";
import { PLAIN_SIGNS } from "./plain-signs.ts";
import { SIGN_PHRASES } from "./sign-phrases.ts";

/** Whether the code page or font has a UTF-16 unit. */
type Kept = (unit: string) => boolean;

/** Splits text into characters as a reader sees them: a family of four emoji is one character. */
const graphemes = new Intl.Segmenter("ru", { granularity: "grapheme" });

/**
 * Returns the text in kept characters. Every other character is replaced by its meaning, which may depend on its neighbours: `10²`
 * becomes `10^2`, but `м²` becomes `м2`; `1½"` becomes `1 1/2"`. A visible character without a plain form becomes `unknown`. Invisible
 * characters disappear, and white space becomes spaces.
 *
 * `kept` must include `unknown` and all visible ASCII characters. A second spelling then changes nothing.
 */
export function spelled(text: string, kept: Kept, unknown = "?"): string {
  if (isKept(text, kept)) return text;
  let plain = plainDigits(composed(text), kept);
  for (const { pattern, plain: plainOfPhrase } of SIGN_PHRASES) {
    plain = plain.replace(pattern, (match: string, ...rest: unknown[]) => {
      const groups = rest.at(-1) as Record<string, string | undefined>;
      return isKept(groups.sign ?? "", kept) ? match : plainOfPhrase(groups);
    });
  }
  return Array.from(graphemes.segment(plain), ({ segment }) => plainForm(segment, kept) ?? unknown).join("");
}

function isKept(text: string, kept: Kept): boolean {
  for (let at = 0; at < text.length; at += 1) if (!kept(text.charAt(at))) return false;
  return true;
}

function plainDigits(text: string, kept: Kept): string {
  return text.replace(/(?![0-9])\p{Nd}/gu, (digit) => {
    if (isKept(digit, kept)) return digit;
    const plain = decomposed(digit);
    return /^[0-9]$/.test(plain) ? plain : String(digitValue(digit));
  });
}

/**
 * In Unicode the digits 0 to 9 of a script are consecutive. A digit's value is therefore the number of digits directly before it. Two
 * scripts may be adjacent, so the number counts modulo ten.
 */
function digitValue(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let before = 0;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(code - before - 1))) before += 1;
  return before % 10;
}

/** Undefined when a visible character has no plain form. */
function plainForm(text: string, kept: Kept): string | undefined {
  let form = "";
  for (const character of text) {
    const plain = isKept(character, kept) ? character : plainCharacter(character, kept);
    if (plain === undefined) return undefined;
    form += plain;
  }
  return form;
}

function plainCharacter(character: string, kept: Kept): string | undefined {
  const sign = PLAIN_SIGNS.get(character);
  if (sign !== undefined) return plainForm(sign, kept);
  if (WHITE.test(character)) return " ";
  if (INVISIBLE.test(character)) return "";
  const parts = decomposed(character);
  return parts === character ? undefined : plainForm(parts, kept);
}

const WHITE = /^[\p{Z}\p{Cc}]$/u;
/** Joiners, accents without a letter, lone surrogates. */
const INVISIBLE = /^[\p{Cf}\p{M}\p{Cs}]$/u;
