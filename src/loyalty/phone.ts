import { parsePhoneNumberFromString } from "libphonenumber-js";

const MAX_LENGTH = 40;
/** Digits and the separators that people write: spaces of any width, brackets, dashes, dots and slashes. */
const SPELLING = /^\+?[\d\s().\-/\u2010-\u2015\u2212]+$/u;

/**
 * Returns a number of any spelling in E.164 (`+79039993344`; loyalty-model 12). Without `+`, ten digits are a Russian number, and so are
 * eleven digits that begin with 8 or 7. Numbers of other countries need `+`, `00` or `810`. Undefined: the text is no phone number, or its
 * length is impossible. Number ranges are not checked, because they change and new numbers must pass.
 */
export function normalPhone(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed.length > MAX_LENGTH || !SPELLING.test(trimmed)) return undefined;
  const digits = trimmed.replaceAll(/\D/g, "");
  return russian(digits, trimmed.startsWith("+")) ?? foreign(digits, trimmed.startsWith("+"));
}

/**
 * People write `+8 903 …` instead of `8 903 …`. This spelling is unambiguous, because no country code begins with 89. Numbers with `+79`
 * are read here too: they are the most frequent, and reading them here avoids the tables of countries.
 */
function russian(digits: string, hasPlus: boolean): string | undefined {
  if (digits.length === 10 && !hasPlus) return `+7${digits}`;
  if (digits.length !== 11) return undefined;
  const begins = hasPlus ? digits.startsWith("79") || digits.startsWith("89") : digits.startsWith("8") || digits.startsWith("7");
  return begins ? `+7${digits.slice(1)}` : undefined;
}

function foreign(digits: string, hasPlus: boolean): string | undefined {
  const withoutPrefix = hasPlus ? digits : /^(?:00|810)(\d+)$/.exec(digits)?.[1];
  const number = withoutPrefix === undefined ? undefined : parsePhoneNumberFromString(`+${withoutPrefix}`);
  return number?.isPossible() === true ? number.number : undefined;
}
