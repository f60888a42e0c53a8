interface Owner {
  /** True when a caller of this network has proved a request lately. */
  readonly networkProved: boolean;
}

/**
 * Returns what loses its place first in a room that is too small: what belongs to networks without a proved request, if these networks
 * together take more than half of the room; otherwise everything.
 */
export function firstToLose<T extends Owner>(all: readonly T[], roomTakenBy: (one: T) => number): readonly T[] {
  const strange = all.filter(({ networkProved }) => !networkProved);
  return 2 * sumOf(strange, roomTakenBy) > sumOf(all, roomTakenBy) ? strange : all;
}

export function sumOf<T>(all: readonly T[], roomTakenBy: (one: T) => number): number {
  return all.reduce((sum, one) => sum + roomTakenBy(one), 0);
}
