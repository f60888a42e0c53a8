import { nextTurn } from "../clock.ts";

/**
 * Does the work for at most `atOnce` items at a time and returns the results in the items' order. Other work runs between two steps.
 * Rejects with the first failure, and no further step begins.
 */
export async function doneInSteps<T, Result>(items: readonly T[], atOnce: number, work: (item: T) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += atOnce) {
    if (from > 0) await nextTurn();
    for (const result of await Promise.all(items.slice(from, from + atOnce).map(work))) results.push(result);
  }
  return results;
}
