import type { Stored } from "../values/stored.ts";

/**
 * The maximum number of columns kept for one type: enough for the fields that people filter by. The least recently used column is dropped.
 */
const MAX_COLUMNS = 32;
/** The table is compacted if more places than this are empty, and more are empty than filled. A removed object leaves an empty place. */
const MIN_HOLES = 1_000;

interface Column {
  readonly values: unknown[];
  readonly read: (stored: Stored) => unknown;
}

/**
 * The objects of one type in the order of creation, each at a place (an array index). A column holds one value of every object, by place.
 * A search of a column with a hundred thousand places takes a few milliseconds; a search of the objects takes many times longer.
 */
export class Rows {
  #stored: (Stored | undefined)[] = [];
  readonly #places = new Map<string, number>();
  readonly #columns = new Map<string, Column>();
  #holes = 0;

  constructor(all: Iterable<Stored>) {
    for (const stored of all) this.changed(undefined, stored);
  }

  /** Returns the objects by place, `undefined` for a removed object. The array is valid until the next change. */
  get stored(): readonly (Stored | undefined)[] {
    return this.#stored;
  }

  /**
   * Returns the result of `read` for every object, by place. An empty place holds any value.
   * The column is kept under the key and updated at each change. `read` may use only the object, and must be the same for the same key. The
   * array is valid until the next change.
   */
  column<T>(key: string, read: (stored: Stored) => T): readonly T[] {
    const column = this.#columns.get(key) ?? this.#readColumn(read);
    this.#columns.delete(key);
    this.#columns.set(key, column);
    const [oldest] = this.#columns.keys();
    if (this.#columns.size > MAX_COLUMNS && oldest !== undefined) this.#columns.delete(oldest);
    return column.values as T[];
  }

  changed(before: Stored | undefined, after: Stored | undefined): void {
    const place = before === undefined ? undefined : this.#places.get(before.id);
    if (after !== undefined) this.#put(place ?? this.#stored.length, after);
    else if (before !== undefined && place !== undefined) this.#leave(place, before);
  }

  #put(place: number, stored: Stored): void {
    this.#stored[place] = stored;
    this.#places.set(stored.id, place);
    for (const { values, read } of this.#columns.values()) values[place] = read(stored);
  }

  #leave(place: number, { id }: Stored): void {
    this.#stored[place] = undefined;
    this.#places.delete(id);
    this.#holes += 1;
    if (this.#holes > MIN_HOLES && this.#holes > this.#places.size) this.#closeUp();
  }

  #closeUp(): void {
    this.#stored = this.#stored.filter((stored) => stored !== undefined);
    this.#holes = 0;
    this.#columns.clear();
    for (const [place, stored] of this.#stored.entries()) if (stored !== undefined) this.#places.set(stored.id, place);
  }

  #readColumn(read: (stored: Stored) => unknown): Column {
    const values: unknown[] = [];
    for (const stored of this.#stored) values.push(stored === undefined ? undefined : read(stored));
    return { values, read };
  }
}
