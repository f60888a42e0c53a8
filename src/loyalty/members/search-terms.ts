import { decomposed } from "../../kernel/normal-form.ts";

/** The largest number of searchable words of a name. Further words are ignored. */
const MAX_WORDS = 8;
/** Longer words are cut, also in a search. */
const MAX_WORD_LENGTH = 24;
/** The shortest searchable beginning. A shorter beginning would find too many members. */
const LEAST_BEGINNING = 3;
/** The longest stored beginning of a card's number. Each beginning is a row, so the number of rows is bounded. */
const MAX_CARD_LENGTH = 32;

/** Returns the search terms of a name, in lower case: each whole word, and each beginning of three or more characters. */
export function nameTerms(name: string): string[] {
  return unique(wordsOf(name).flatMap((word) => [`word:${word}`, ...beginningsOf(word).map((beginning) => `begin:${beginning}`)]));
}

/** Returns the search terms of a card: each beginning of 3 to 32 characters. */
export function cardTerms(card: string): string[] {
  return beginningsOf(beginningOf(card)).map((beginning) => `card:${beginning}`);
}

export function emailTerm(email: string): string {
  return `email:${normalEmail(email)}`;
}

/** Returns one search term for each typed word. A word of one or two letters must match a whole word. */
export function wantedNameTerms(typed: string): string[] {
  return wordsOf(typed).map((word) => (word.length < LEAST_BEGINNING ? `word:${word}` : `begin:${word}`));
}

/** Returns the search term of cards that begin with the typed text. Undefined: the text is too short. */
export function wantedCardTerm(typed: string): string | undefined {
  const card = beginningOf(typed);
  return card.length < LEAST_BEGINNING ? undefined : `card:${card}`;
}

/**
 * Returns a card's number without blanks and dashes, in capital letters. The number is not cut, because long numbers often differ only at
 * the end.
 */
export function normalCard(card: string): string {
  return card.replaceAll(/[\s-]/gu, "").toUpperCase();
}

function beginningOf(card: string): string {
  return normalCard(card).slice(0, MAX_CARD_LENGTH);
}

export function isSameEmail(a: string, b: string | undefined): boolean {
  return b !== undefined && normalEmail(a) === normalEmail(b);
}

function normalEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** Returns the words of a text without combining marks, such as accents and the dots of `ё`, because people omit these marks. */
function wordsOf(text: string): string[] {
  const words =
    decomposed(text)
      .replaceAll(/\p{M}/gu, "")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.slice(0, MAX_WORDS).map((word) => word.slice(0, MAX_WORD_LENGTH));
}

function beginningsOf(word: string): string[] {
  const beginnings: string[] = [];
  for (let length = LEAST_BEGINNING; length <= word.length; length++) beginnings.push(word.slice(0, length));
  return beginnings;
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
