import { PlatformFailure } from "../api/failure.ts";

/** One page of a list, as the pager needs it. */
export interface PageOf<Row> {
  readonly rows: readonly Row[];
  /** Number of rows of the whole list. */
  readonly size: number;
}

interface Paging<Row> {
  /** Number of rows of one page. */
  readonly limit: number;
  /** The key of a row. A row whose key is not a text is skipped. */
  readonly keyOf: (row: Row) => unknown;
  readonly read: (offset: number, limit: number) => Promise<PageOf<Row>>;
}

/** The number of rows that a page shares with the page before it. A single shared row proves that no row was missed. */
const OVERLAP = 10;
/** For how many pages rows are remembered, so that none is given twice. */
const REMEMBERED_PAGES = 3;

/** The largest number of pages in a row without a new row. After that the list counts as repeating itself. */
const MAX_BARREN_PAGES = 5;
/**
 * The largest number of requests: this many times the requests for an unchanged list, plus `SPARE_REQUESTS` for rows that come and go
 * meanwhile.
 */
const MAX_ROUNDS = 4;
const SPARE_REQUESTS = 1_000;
/** The largest number of requests, however long the list claims to be. */
const MAX_REQUESTS = 100_000;

/**
 * Reads all rows of a list by offsets while rows come and go. The rows must keep their order, so they are sorted by a key that never
 * changes: the id.
 *
 * Each page begins a few rows before the end of the page before it. A row that was on that page proves that no row lies between the two
 * pages. When no row is known, earlier rows were deleted and the list has moved. Then the pager steps back until it finds a known row.
 *
 * Guarantee: every row that is in the list during the whole reading is returned exactly once. A row that comes or goes meanwhile may be
 * returned or not. One exception: when more rows than three pages are deleted between two requests, rows may be returned again, but none is
 * missed. With another order, a row whose key changes meanwhile may be missed.
 *
 * For a list that never ends it throws `unavailable`, with an explanation.
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
    const keyed = rows.flatMap((row) => withKey(row, keyOf));
    if (offset > 0 && keyed.every(({ key }) => isNew(key))) {
      // Steps back by the number of new rows that a page brings. So the gap is found after at most as many steps as there were pages.
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

/** The row with its key; empty when the row has no key. */
function withKey<Row>(row: Row, keyOf: (row: Row) => unknown): { row: Row; key: string }[] {
  if (typeof row !== "object" || row === null) return [];
  const key = keyOf(row);
  return typeof key === "string" ? [{ row, key }] : [];
}

function endless(after: string): PlatformFailure {
  return new PlatformFailure("unavailable", `a list does not end: given up after ${after}`);
}
