import type { InstallationKey } from "../../accounts/installation.ts";
import type { Db } from "../ledger/ledger-queries.ts";
import { mergesOutOf, wasMerged } from "./merge-queries.ts";
import { readMoved } from "./merge-schema.ts";

/** A lot in the account of one member. */
interface LotPlace {
  memberId: string;
  number: number;
}

/** The largest number of places of one lot that are followed: two hundred merges, each undone. Nobody does more by hand. */
const MAX_PLACES = 401;

/**
 * Returns the places of the points of a lot: the given one, and one for each merge and each undoing that has moved what was left of the lot,
 * each after the place that it was moved from. The trail ends early when nothing was left, or when the member was erased.
 */
export async function trailOf(db: Db, key: InstallationKey, lot: LotPlace): Promise<LotPlace[]> {
  const trail = [lot];
  for (const place of trail) {
    for (const next of await movedTo(db, key, place)) if (trail.length < MAX_PLACES) trail.push(next);
  }
  return trail;
}

/** Each move makes a new lot, so no place is reached twice. Points may come back to an empty lot, so a lot may be moved more than once. */
async function movedTo(db: Db, key: InstallationKey, { memberId, number }: LotPlace): Promise<LotPlace[]> {
  if (!(await wasMerged(db, memberId, number))) return [];
  const merges = await mergesOutOf(db, key, memberId);
  return merges.flatMap((merge) => {
    const { lots, back } = readMoved(merge);
    const [moves, toId] = merge.gone_id === memberId ? [lots, merge.kept_id] : [back, merge.gone_id];
    return moves.filter(({ from }) => from === number).map(({ to }) => ({ memberId: toId, number: to }));
  });
}
