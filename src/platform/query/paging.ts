import { PlatformFailure } from "../api/failure.ts";

/** One page of a list, as the pager needs it. */
export interface PageOf<Row> {
  readonly rows: readonly Row[];
  /** Elements of the whole list. */
  readonly size: number;
}

interface Paging<Row> {
  /** Rows of one page. */
  readonly limit: number;
  /** Of a row that is an object. What is no text names no row: it is passed over. */
  readonly keyOf: (row: Row) => unknown;
  readonly read: (offset: number, limit: number) => Promise<PageOf<Row>>;
}

/** Rows that a page has in common with the one before it: one is enough to know that nothing was passed over. */
const OVERLAP = 10;
/** Rows of so many pages are remembered, so that none is given twice. */
const REMEMBERED_PAGES = 3;

/** Pages, one after the other, that bring nothing new while the list claims to go on: it repeats itself. */
const MAX_BARREN_PAGES = 5;
/** Requests in all: so many times what the list needs when nothing moves, and some more for what comes and goes meanwhile. */
const MAX_ROUNDS = 4;
const SPARE_REQUESTS = 1_000;
/** However long a list claims to be. */
const MAX_REQUESTS = 100_000;

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
 *
 * It ends also with a list that does not: as `unavailable`, with words.
 */
export async function* readAll<Row>({ limit, keyOf, read }: Paging<Row>): AsyncGenerator<Row, void, undefined> {
  const overlap = Math.max(1, Math.min(OVERLAP, Math.floor(limit / 2)));
  let remembered: ReadonlySet<string>[] = [];
  const isNew = (key: string) => !remembered.some((page) => page.has(key));
  let place = 0;
  let barren = 0;
  let mostRequests = MAX_REQUESTS;
  for (let request = 1; ; request += 1) {
    const offset = Math.max(0, place - overlap);
    const { rows, size } = await read(offset, limit);
    if (request === 1) mostRequests = Math.min(MAX_REQUESTS, SPARE_REQUESTS + MAX_ROUNDS * Math.ceil(size / (limit - overlap)));
    if (request >= mostRequests && offset + rows.length < size) throw endless(`${request} requests`);
    const keyed = rows.flatMap((row) => named(row, keyOf));
    if (offset > 0 && keyed.every(({ key }) => isNew(key))) {
      // Back by as much as a page brings new: the gap is found after at most as many steps as pages were given.
      place = Math.max(0, offset - (limit - overlap));
      continue;
    }
    const fresh = keyed.filter(({ key }) => isNew(key));
    yield* fresh.map(({ row }) => row);
    remembered = [...remembered, new Set(keyed.map(({ key }) => key))].slice(-REMEMBERED_PAGES);
    place = offset + rows.length;
    if (rows.length === 0 || place >= size) return;
    barren = fresh.length > 0 ? 0 : barren + 1;
    if (barren >= MAX_BARREN_PAGES) throw endless(`${barren} pages that brought nothing new`);
  }
}

/** Nothing, where there is no row to speak of. */
function named<Row>(row: Row, keyOf: (row: Row) => unknown): { row: Row; key: string }[] {
  if (typeof row !== "object" || row === null) return [];
  const key = keyOf(row);
  return typeof key === "string" ? [{ row, key }] : [];
}

function endless(after: string): PlatformFailure {
  return new PlatformFailure("unavailable", `a list does not end: given up after ${after}`);
}
