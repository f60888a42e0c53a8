import { decomposed } from "../../kernel/normal-form.ts";

/** Words of a name by which a member is found. Further words are ignored. */
const MAX_WORDS = 8;
/** Characters of a word. Longer words are cut, also in a search. */
const MAX_WORD_LENGTH = 24;
/** The shortest beginning that is searched for. A shorter one would find too many members. */
const LEAST_BEGINNING = 3;
/** The number of first characters of a card's number whose beginnings are stored. More would make too many rows. */
const MAX_CARD_LENGTH = 32;

/** Returns the search terms of a name, in lower case: each whole word, and each of its beginnings of three or more characters. */
export function nameTerms(name: string): string[] {
  return unique(wordsOf(name).flatMap((word) => [`word:${word}`, ...beginningsOf(word).map((beginning) => `begin:${beginning}`)]));
}

/** Returns the search terms of a card: each beginning of three or more characters, up to the whole number or its first 32 characters. */
export function cardTerms(card: string): string[] {
  return beginningsOf(beginningOf(card)).map((beginning) => `card:${beginning}`);
}

export function emailTerm(email: string): string {
  return `email:${normalEmail(email)}`;
}

/** Returns the term to look up for each typed word. A word of one or two letters must match a whole word. */
export function wantedNameTerms(typed: string): string[] {
  return wordsOf(typed).map((word) => (word.length < LEAST_BEGINNING ? `word:${word}` : `begin:${word}`));
}

/** Returns the term of cards that equal the typed text or begin with it. Undefined: the text is too short. */
export function wantedCardTerm(typed: string): string | undefined {
  const card = beginningOf(typed);
  return card.length < LEAST_BEGINNING ? undefined : `card:${card}`;
}

/**
 * Returns a card's number without blanks and dashes, in capital letters. The number is not cut, because long numbers often differ only in
 * their last characters.
 */
export function normalCard(card: string): string {
  return card.replaceAll(/[\s-]/gu, "").toUpperCase();
}

function beginningOf(card: string): string {
  return normalCard(card).slice(0, MAX_CARD_LENGTH);
}

function normalEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** Returns the words of a text without accents and the dots of `ё`, because people leave them out. */
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
