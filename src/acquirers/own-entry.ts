/** Returns the entry of a table for a word that a bank wrote. Inherited properties (`constructor`, `toString`) do not count as entries. */
export function entryOf<Entry>(table: Readonly<Record<string, Entry>>, word: string): Entry | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}
