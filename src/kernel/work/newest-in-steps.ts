import { nextTurn } from "../clock.ts";

/** The largest number of rows that a step looks at. In SQLite, which blocks the event loop meanwhile, they take about 3 ms. */
const MOST_ROWS = 1_000;
/** The number of rows of the first step. Mostly the newest rows fit, and the step is over after a part of a millisecond. */
const FIRST_ROWS = 100;

/** So few rows are read at once, although perhaps none of them fits. */
const FEW = 1_000;

/** A query for the keys of rows, without its limit. */
interface IdQuery<Id> {
  limit(most: number): { execute(): Promise<readonly { id: Id }[]> };
}

/** Returns the ids of all rows of the query, such as those of a small account. Undefined: there are more than `FEW`. */
export async function fewIds<Id>(query: IdQuery<Id>): Promise<Id[] | undefined> {
  const rows = await query.limit(FEW + 1).execute();
  return rows.length > FEW ? undefined : rows.map(({ id }) => id);
}

/** The rows of one step: the next `rows` rows before the place `before`, which is absent at the first step. */
export interface Step<Place> {
  before?: Place;
  rows: number;
  /** The largest number of rows to return. */
  limit: number;
}

export interface StepEnd<Place, Found> {
  /** The rows that fit, the newest first. */
  found: readonly Found[];
  /** The last row that the step looked at, whether it fits or not. Absent: the step looked at all rows that were left. */
  last?: Place;
}

/**
 * Returns the newest rows that fit a condition without an index: looks at all rows from the newest on, until `limit` rows fit or no row is
 * left. A journal has millions of rows, and perhaps none of them fits. So the rows are read in steps, and other work runs between two
 * steps.
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
