import { decomposed } from "../../kernel/normal-form.ts";

/** Words of a name by which a member is found; a longer name is found by its first words. */
const MAX_WORDS = 8;
/** Signs of a word; more are cut, at the search too. */
const MAX_WORD_LENGTH = 24;
/** A shorter beginning would find too many to be of use. */
const LEAST_BEGINNING = 3;
const MAX_CARD_LENGTH = 32;

/**
 * The texts under which a member with this name is found: each word whole, and by its first three letters or more. In lower case.
 */
export function nameTerms(name: string): string[] {
  return unique(wordsOf(name).flatMap((word) => [`word:${word}`, ...beginningsOf(word).map((beginning) => `begin:${beginning}`)]));
}

/** The texts under which a member with this card is found: the card whole, and by its first three signs or more. */
export function cardTerms(card: string): string[] {
  return beginningsOf(normalCard(card)).map((beginning) => `card:${beginning}`);
}

export function emailTerm(email: string): string {
  return `email:${normalEmail(email)}`;
}

/** For each word of what was typed: the text that a member found by it has. A word of one or two letters must stand whole. */
export function wantedNameTerms(typed: string): string[] {
  return wordsOf(typed).map((word) => (word.length < LEAST_BEGINNING ? `word:${word}` : `begin:${word}`));
}

/** The text that members have whose card is this or begins with it; undefined for a beginning that is too short. */
export function wantedCardTerm(typed: string): string | undefined {
  const card = normalCard(typed);
  return card.length < LEAST_BEGINNING ? undefined : `card:${card}`;
}

/** A card's number without blanks and dashes, in capital letters. */
export function normalCard(card: string): string {
  return card.replaceAll(/[\s-]/gu, "").toUpperCase().slice(0, MAX_CARD_LENGTH);
}

function normalEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** Accents and the dots of `ё` do not count: people leave them out. */
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
