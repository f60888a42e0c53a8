import type { InstallationKey } from "../../accounts/installation.ts";
import type { Db } from "../ledger/ledger-queries.ts";
import { mergesOutOf, wasMerged } from "./merge-queries.ts";
import { readMoved } from "./merge-schema.ts";

interface LotPlace {
  memberId: string;
  number: number;
}

/** The largest number of places of one lot: two hundred merges, each of them undone. Nobody does more by hand. */
const MAX_PLACES = 401;

/**
 * Returns all places where points of the lot are or were, the given place first. Each merge and each undone merge that moved points of the
 * lot adds a place.
 */
export async function trailOf(db: Db, key: InstallationKey, lot: LotPlace): Promise<LotPlace[]> {
  const trail = [lot];
  for (const place of trail) {
    for (const next of await movedTo(db, key, place)) if (trail.length < MAX_PLACES) trail.push(next);
  }
  return trail;
}

/**
 * Returns the places to which merges and undone merges moved the lot's points. There may be several: a return can put points into a lot
 * that a merge emptied, and the next merge moves this lot again. Each move makes a new lot, so no place repeats.
 */
async function movedTo(db: Db, key: InstallationKey, { memberId, number }: LotPlace): Promise<LotPlace[]> {
  if (!(await wasMerged(db, memberId, number))) return [];
  const merges = await mergesOutOf(db, key, memberId);
  return merges.flatMap((merge) => {
    const { lots, back } = readMoved(merge);
    const [moves, toId] = merge.gone_id === memberId ? [lots, merge.kept_id] : [back, merge.gone_id];
    return moves.filter(({ from }) => from === number).map(({ to }) => ({ memberId: toId, number: to }));
  });
}
