import { nextTurn } from "../clock.ts";

/**
 * The number of rows that each step of `newestInSteps` after the first looks at. In SQLite these rows take about 3 ms, and the event loop
 * is blocked for this time.
 */
const MOST_ROWS = 1_000;
/** The number of rows that the first step looks at, in less than a millisecond. Usually enough of these rows fit, and no step follows. */
const FIRST_ROWS = 100;

/** The largest number of ids that `fewIds` returns. One query may look at this many rows, even if none of them fits. */
const FEW = 1_000;

/** A query for the ids of rows, before its limit is set. */
interface IdQuery<Id> {
  limit(most: number): { execute(): Promise<readonly { id: Id }[]> };
}

/** Returns the ids of all rows of the query, such as those of a small account. Undefined: there are more than `FEW`. */
export async function fewIds<Id>(query: IdQuery<Id>): Promise<Id[] | undefined> {
  const rows = await query.limit(FEW + 1).execute();
  return rows.length > FEW ? undefined : rows.map(({ id }) => id);
}

/**
 * The rows of one step: the `rows` rows that follow the row `before` in the order of the search, or the first `rows` rows at the first
 * step, where `before` is absent.
 */
export interface Step<Place> {
  before?: Place;
  rows: number;
  /** The largest number of rows to return. */
  limit: number;
}

/**
 * Returns a limit for the query for the rows of a step. An earlier query has found the step's last row, which bounds this query. The
 * limit only keeps SQLite from searching all rows for the condition. It is larger than the step, because rows may have been added since
 * the earlier query.
 */
export function mostBefore(rows: number): number {
  return 2 * rows;
}

export interface StepEnd<Place, Found> {
  /** The rows that fit, in the order of the search. */
  found: readonly Found[];
  /** The last row that the step looked at, whether it fits or not. Absent: no row is left, or `limit` rows were found. */
  last?: Place;
}

/**
 * Returns the first rows that fit a condition without an index: looks at all rows in the order that `look` chooses, usually from the newest
 * on, until `limit` rows fit or no row is left. A journal has millions of rows, and perhaps none of them fits. So the rows are read in
 * steps, and other work runs between two steps.
 */
export async function newestInSteps<Place extends object, Found>(
  limit: number,
  look: (step: Step<Place>) => Promise<StepEnd<Place, Found>>,
): Promise<Found[]> {
  const all: Found[] = [];
  let step: Step<Place> = { rows: FIRST_ROWS, limit };
  for (;;) {
    const { found, last } = await look(step);
    all.push(...found);
    if (all.length >= limit || last === undefined) return all;
    step = { before: last, rows: MOST_ROWS, limit: limit - all.length };
    await nextTurn();
  }
}
