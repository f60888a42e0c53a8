/** One page of a list, as the pager needs it. */
export interface PageOf<Row> {
  readonly rows: readonly Row[];
  /** Elements of the whole list. */
  readonly size: number;
}

export interface Paging<Row> {
  /** Rows of one page. */
  readonly limit: number;
  readonly keyOf: (row: Row) => string;
  readonly read: (offset: number, limit: number) => Promise<PageOf<Row>>;
}

/** Rows that a page has in common with the one before it: one is enough to know that nothing was passed over. */
const OVERLAP = 10;
/** Rows of so many pages are remembered, so that none is given twice. */
const REMEMBERED_PAGES = 3;

/**
 * All rows of a list whose rows keep their order among themselves (sorted by what never changes: the id), read by offsets while
 * rows come and go.
 *
 * Each page begins a few rows before the end of the one before. A row known from there proves that nothing lies between them. When
 * none is found, rows before our place have gone and the list has moved under us: the pager steps back until it meets a known one.
 *
 * Promised: every row that is in the list from the beginning to the end of the reading is given, and exactly once. A row that comes or
 * goes meanwhile may be given or not. The one exception: when more rows than three pages go between two of them, rows may be
 * given again; never passed over. With an order of another kind a row whose key changes meanwhile may be passed over.
 */
export async function* readAll<Row>({ limit, keyOf, read }: Paging<Row>): AsyncGenerator<Row, void, undefined> {
  const overlap = Math.max(1, Math.min(OVERLAP, Math.floor(limit / 2)));
  let remembered: ReadonlySet<string>[] = [];
  const isKnown = (row: Row) => {
    const key = keyOf(row);
    return remembered.some((page) => page.has(key));
  };
  let place = 0;
  for (;;) {
    const offset = Math.max(0, place - overlap);
    const { rows, size } = await read(offset, limit);
    if (offset > 0 && !rows.some(isKnown)) {
      // Back by as much as a page brings new: the gap is found after at most as many steps as pages were given.
      place = Math.max(0, offset - (limit - overlap));
      continue;
    }
    const fresh = rows.filter((row) => !isKnown(row));
    yield* fresh;
    remembered = [...remembered, new Set(rows.map(keyOf))].slice(-REMEMBERED_PAGES);
    place = offset + rows.length;
    if (rows.length === 0 || place >= size) return;
  }
}
