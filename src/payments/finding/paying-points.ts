import type { InstallationKey } from "../../accounts/installation.ts";
import { newestInSteps } from "../../kernel/work/newest-in-steps.ts";
import type { Store } from "../../store/database.ts";
import { type OperationPlace, storesOfStep } from "./search-queries.ts";

interface Point extends InstallationKey {
  storeId: string;
}

/**
 * Returns the names (`pointOf`) of the given points of sale that have any payment. No index leads to the payments of a point of sale. So
 * the payments of each account are looked through in steps, once for all its points of sale, until a payment of each was found.
 */
export async function pointsWithPayment(store: Pick<Store, "read">, points: readonly Point[]): Promise<ReadonlySet<string>> {
  const accounts = new Map<string, { key: InstallationKey; left: Set<string> }>();
  for (const { appId, accountId, storeId } of points) {
    const name = `${appId} ${accountId}`;
    const account = accounts.get(name) ?? { key: { appId, accountId }, left: new Set<string>() };
    account.left.add(storeId);
    accounts.set(name, account);
  }
  const paying = new Set<string>();
  for (const { key, left } of accounts.values()) {
    const stores = await newestInSteps<OperationPlace, string>(left.size, async (step) => {
      const end = await store.read((db) => storesOfStep(db, key, step));
      // Each point of sale counts once, so the search ends when all have been found.
      return { ...end, found: end.found.filter((storeId) => left.delete(storeId)) };
    });
    for (const storeId of stores) paying.add(pointOf({ ...key, storeId }));
  }
  return paying;
}

/** Returns a text that names one point of sale. */
export function pointOf({ appId, accountId, storeId }: Point): string {
  return `${appId} ${accountId} ${storeId}`;
}
