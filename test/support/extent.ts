/**
 * How far a proof goes. Both lengths run the same test: `npm test` takes a part of it, so that it stays within its four
 * minutes, and `npm run test:long` takes all.
 */
export type Extent = "short" | "long";

export const EXTENT: Extent = process.env.TEST_EXTENT === "long" ? "long" : "short";

/** The number of rounds, seeds or operations for this run. */
export function extent(of: Record<Extent, number>): number {
  return of[EXTENT];
}

/** In the short run `count` elements of the list, evenly spread, the first and the last among them; else the whole list. */
export function sample<T>(list: readonly T[], count: number): T[] {
  return EXTENT === "long" ? [...list] : spread(list, count);
}

/** `count` elements of the list, evenly spread, the first and the last among them. */
export function spread<T>(list: readonly T[], count: number): T[] {
  if (list.length <= count) return [...list];
  const step = (list.length - 1) / Math.max(1, count - 1);
  return Array.from({ length: count }, (_, nth) => list[Math.round(nth * step)]).filter((element) => element !== undefined);
}
