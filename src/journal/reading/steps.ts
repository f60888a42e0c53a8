import { nextTurn } from "../../kernel/clock.ts";

/** A row, and the length of its long columns: operation and document together, or only the document (`documentSizes`). */
export interface SizedRow {
  id: number;
  bytes: number;
}

interface StepLimits {
  /** The most bytes of a step. A longer row has a step of its own. */
  bytes: number;
  rows: number;
}

/** Limits for rows that are parsed whole. The longest row, a receipt of 1,000 positions, takes about 10 ms. */
export const WHOLE_STEP: StepLimits = { bytes: 100_000, rows: 50 };
/**
 * Limits for rows whose long columns are not parsed. SQLite still walks through the long columns, because short columns come after them.
 */
export const HEAD_STEP: StepLimits = { bytes: 5_000_000, rows: 100 };

/** Yields the ids step by step, in the order of the rows. Other work runs between two steps. */
export async function* inSteps(rows: readonly SizedRow[], limits: StepLimits): AsyncGenerator<number[]> {
  let step: number[] = [];
  let bytes = 0;
  for (const row of rows) {
    if (step.length > 0 && (step.length >= limits.rows || bytes + row.bytes > limits.bytes)) {
      yield step;
      await nextTurn();
      step = [];
      bytes = 0;
    }
    step.push(row.id);
    bytes += row.bytes;
  }
  if (step.length > 0) yield step;
}
