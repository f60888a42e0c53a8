/**
 * How much of a test runs. The test is the same for both: `npm test` runs a part of it, so that all tests take no more
 * than four minutes, and `npm run test:long` runs all.
 */
export type Extent = "short" | "long";

export const EXTENT: Extent = process.env.TEST_EXTENT === "long" ? "long" : "short";

/** The number of rounds, seeds or operations in this run. */
export function extent(of: Record<Extent, number>): number {
  return of[EXTENT];
}

/** In the short run `count` elements of the list, evenly spread, with the first and the last. In the long run the whole list. */
export function sample<T>(list: readonly T[], count: number): T[] {
  return EXTENT === "long" ? [...list] : spread(list, count);
}

/** Returns `count` elements of the list, evenly spread, with the first and the last. */
export function spread<T>(list: readonly T[], count: number): T[] {
  if (list.length <= count) return [...list];
  const step = (list.length - 1) / Math.max(1, count - 1);
  return Array.from({ length: count }, (_, nth) => list[Math.round(nth * step)]).filter((element) => element !== undefined);
}
