import type { InstallationKey } from "../../accounts/installation.ts";
import type { Db } from "../ledger/ledger-queries.ts";
import { memberById } from "./member-queries.ts";
import { mergeOf } from "./merge-queries.ts";
import { readMoved } from "./merge-schema.ts";
import { MAX_MERGES } from "./standing.ts";

/** A lot in the account of one member. */
interface LotPlace {
  memberId: string;
  number: number;
}

/**
 * Returns the places of the points of a lot: the given one, and one for each merge that has moved what was left of the lot. The trail ends
 * early when nothing was left, or when the member was erased.
 */
export async function trailOf(db: Db, key: InstallationKey, lot: LotPlace): Promise<LotPlace[]> {
  const trail = [lot];
  let last: LotPlace | undefined = lot;
  for (let merges = 0; merges < MAX_MERGES && last !== undefined; merges++) {
    last = await movedTo(db, key, last);
    if (last !== undefined) trail.push(last);
  }
  return trail;
}

async function movedTo(db: Db, key: InstallationKey, { memberId, number }: LotPlace): Promise<LotPlace | undefined> {
  const keptId = (await memberById(db, key, memberId))?.merged_into ?? undefined;
  const merge = keptId === undefined ? undefined : await mergeOf(db, key, { keptId, goneId: memberId });
  const moved = merge === undefined ? undefined : readMoved(merge).lots.find(({ from }) => from === number);
  return keptId === undefined || moved === undefined ? undefined : { memberId: keptId, number: moved.to };
}
