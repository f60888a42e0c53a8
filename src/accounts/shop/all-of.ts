import { PlatformFailure } from "../../platform/api/failure.ts";

/**
 * Waits for all work, even if some of it fails. Then throws the first error that is not about a missing right (403), because such an error
 * tells more. Throws an error about a missing right only if there is no other error.
 */
export async function allOf(works: readonly Promise<unknown>[]): Promise<void> {
  const ends = await Promise.allSettled(works);
  const errors = ends.flatMap((end): unknown[] => (end.status === "rejected" ? [end.reason] : []));
  if (errors.length > 0) throw errors.find((error) => !isForbidden(error)) ?? errors[0];
}

export function isForbidden(error: unknown): boolean {
  return error instanceof PlatformFailure && error.status === 403;
}
