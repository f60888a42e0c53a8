import { UsageError } from "./command.ts";

/** Returns a whole number within its bounds. Otherwise throws a `UsageError` with the option and the range. */
export function wholeNumber(option: string, text: string, least: number, most: number): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most)) throw new UsageError(`${option} is a whole number from ${least} to ${most}, not "${text}"`);
  return value;
}

/** Returns one of the words that the option accepts. Throws a `UsageError` for any other word. */
export function oneOf<T extends string>(option: string, text: string, known: readonly T[]): T {
  const found = known.find((value) => value === text);
  if (found === undefined) throw new UsageError(`${option} is one of ${known.join(", ")}, not "${text}"`);
  return found;
}

/** Throws a `UsageError` that names the first surplus argument. */
export function atMost(words: readonly string[], most: number, expected: string): void {
  const extra = words[most];
  if (extra !== undefined) throw new UsageError(`"${extra}" is too much: expected ${expected}`);
}

/** Returns the value of an option. Throws a `UsageError` for an empty value. */
export function given(option: string, text: string, what: string): string {
  if (text === "") throw new UsageError(`${option} needs ${what}`);
  return text;
}
