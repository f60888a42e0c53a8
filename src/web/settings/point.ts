import { WHOLE_ACCOUNT } from "../../accounts/settings.ts";
import type { KnownPoint } from "../../accounts/shop/points-of-sale.ts";
import type { PageContext } from "./context.ts";
import type { SettingsPageServices } from "./services.ts";

/** A point of sale that a request names, or the whole account. */
export interface NamedPoint extends KnownPoint {
  isWhole: boolean;
  /** The point of sale as operations identify it. */
  place: { appId: string; accountId: string; storeId: string };
}

/**
 * Returns the point of sale with this id if it belongs to the session's account. Otherwise undefined, so nobody learns whether another
 * account has it.
 */
export async function pointNamed(
  services: SettingsPageServices,
  { session }: PageContext,
  storeId: string,
): Promise<NamedPoint | undefined> {
  const { appId, accountId } = session;
  const place = { appId, accountId, storeId };
  if (storeId === WHOLE_ACCOUNT) return { id: storeId, archived: false, isWhole: true, place };
  const { points } = await services.points.list({ appId, accountId });
  const known = points.find(({ id }) => id === storeId);
  return known === undefined ? undefined : { ...known, isWhole: false, place };
}
