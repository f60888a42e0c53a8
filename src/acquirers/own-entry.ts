/** Returns a table's entry for a bank's word. Inherited properties (`constructor`, `toString`) are no entries. */
export function entryOf<Entry>(table: Readonly<Record<string, Entry>>, word: string): Entry | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}
