interface Owner {
  /** True when a caller of this network has proved a request lately. */
  readonly networkProved: boolean;
}

/**
 * Returns the objects of which one must lose its place when a room is too small: the objects of networks without a proved request, if these
 * objects together take more than half of the room that all take; otherwise all objects.
 */
export function firstToLose<T extends Owner>(all: readonly T[], roomTakenBy: (one: T) => number): readonly T[] {
  const strange = all.filter(({ networkProved }) => !networkProved);
  return 2 * sumOf(strange, roomTakenBy) > sumOf(all, roomTakenBy) ? strange : all;
}

export function sumOf<T>(all: readonly T[], roomTakenBy: (one: T) => number): number {
  return all.reduce((sum, one) => sum + roomTakenBy(one), 0);
}
