import { PlatformFailure } from "../api/failure.ts";

export interface PageOf<Row> {
  readonly rows: readonly Row[];
  readonly size: number;
}

interface Paging<Row> {
  readonly limit: number;
  /** The key of a row. A row whose key is not a text is skipped. */
  readonly keyOf: (row: Row) => unknown;
  readonly read: (offset: number, limit: number) => Promise<PageOf<Row>>;
}

/** The number of rows that a page shares with the previous page. A single shared row proves that no row was missed. */
const OVERLAP = 10;
/** Rows of this many pages are remembered, so that none is returned twice. */
const REMEMBERED_PAGES = 3;

/** After this many pages in a row without a new row, the list counts as repeating itself. */
const MAX_BARREN_PAGES = 5;
/** The maximum number of requests: this many times the requests for an unchanged list, plus `SPARE_REQUESTS` for rows that come and go. */
const MAX_ROUNDS = 4;
const SPARE_REQUESTS = 1_000;
/** The maximum number of requests, however long the list claims to be. */
const MAX_REQUESTS = 100_000;

/**
 * Reads all rows of a list by offsets while rows come and go. The rows must keep their order, so sort by a key that never changes: the id.
 *
 * Each page begins a few rows before the previous page's end. A shared row proves that no row between the pages was missed. Without a
 * shared row, earlier rows were deleted and the list has moved. Then the pager steps back until it finds a known row.
 *
 * Guarantee: every row that is in the list during the whole reading is returned exactly once. A row that is added or deleted during the
 * reading may be missing. Exception: when more rows than three pages hold are deleted between two requests, rows may be returned twice, but
 * none is missed. A row whose sort key changes during the reading may be missed.
 *
 * Throws `unavailable` for a list that never ends.
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
      // Goes back by the length of a page minus the overlap. So the gap is found after at most as many steps as there are pages.
      place = Math.max(0, offset - (limit - overlap));
      continue;
    }
    // The platform may return a row twice in one page.
    const fresh = [...new Map(keyed.filter(({ key }) => isNew(key)).map((each) => [each.key, each])).values()];
    yield* fresh.map(({ row }) => row);
    remembered = [...remembered, new Set(keyed.map(({ key }) => key))].slice(-REMEMBERED_PAGES);
    place = offset + rows.length;
    if (rows.length === 0 || place >= size) return;
    barren = fresh.length > 0 ? 0 : barren + 1;
    if (barren >= MAX_BARREN_PAGES) throw endless(`${barren} pages that brought nothing new`);
  }
}

function withKey<Row>(row: Row, keyOf: (row: Row) => unknown): { row: Row; key: string }[] {
  if (typeof row !== "object" || row === null) return [];
  const key = keyOf(row);
  return typeof key === "string" ? [{ row, key }] : [];
}

function endless(after: string): PlatformFailure {
  return new PlatformFailure("unavailable", `a list does not end: given up after ${after}`);
}
