import type { EntityType } from "../types/entity-type.ts";
import type { ValueSource } from "./filter/predicate.ts";

/** How well an object matches a search: 0 is best; undefined: not at all. */
type Relevance = (place: number) => number | undefined;

/** Ranks of relevance: a field that is the wish, one that begins with it, one that has it inside. */
export const RANKS = 3;

const WORD_CHARACTER = /[\p{L}\p{N}]/u;

/**
 * Loose search over a type's main text fields (6.4), in any letter case: every word begins some word of the fields,
 * or, for types that search so, the whole wish stands inside of one field. Undefined: nothing was wished for.
 */
export function searchRelevance(text: string, { search }: EntityType, source: ValueSource): Relevance | undefined {
  const wish = text.trim().toLowerCase();
  if (wish === "") return undefined;
  const words = wish.split(/\s+/);
  const columns = search.fields.map((field) =>
    source.column(`${field} in lower case`, ({ values }) => {
      const value = values[field];
      return typeof value === "string" ? value.toLowerCase() : undefined;
    }),
  );
  return (place) => {
    const own: string[] = [];
    for (const column of columns) {
      const value = column[place];
      if (value !== undefined) own.push(value);
    }
    const matches =
      search.match === "substring"
        ? own.some((value) => value.includes(wish))
        : words.every((word) => own.some((value) => hasWordFrom(value, word)));
    return matches ? rankOf(own, wish) : undefined;
  };
}

function rankOf(values: readonly string[], wish: string): number {
  if (values.includes(wish)) return 0;
  return values.some((value) => value.startsWith(wish)) ? 1 : 2;
}

/** Whether a word of the text begins so. */
export function hasWordFrom(text: string, prefix: string): boolean {
  for (let at = text.indexOf(prefix); at >= 0; at = text.indexOf(prefix, at + 1)) {
    if (at === 0 || !WORD_CHARACTER.test(text.charAt(at - 1))) return true;
  }
  return false;
}
