/** What receipts and settings are made of: changes of these are asked for, others are of no use here. */
export const WATCHED_TYPES = ["retailstore", "organization", "employee", "uom", "product", "service", "variant", "bundle"] as const;

export type WatchedType = (typeof WATCHED_TYPES)[number];

/**
 * All that may happen to them. Which of them a type offers is not documented (json-api 9.1): one that it does not is refused with
 * 30008, which is shown like any refusal.
 */
export const WATCHED_ACTIONS = ["CREATE", "UPDATE", "DELETE"] as const;

export type WatchedAction = (typeof WATCHED_ACTIONS)[number];

export function isWatched(type: string): boolean {
  return WATCHED_TYPES.some((watched) => watched === type);
}
