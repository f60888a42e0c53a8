import { WHOLE_ACCOUNT } from "../../accounts/settings.ts";
import type { KnownPoint } from "../../accounts/shop/points-of-sale.ts";
import type { PageContext } from "./context.ts";
import type { SettingsPageServices } from "./services.ts";

/** A point of sale that a request names, or all of them. */
export interface NamedPoint extends KnownPoint {
  isWhole: boolean;
  /** As operations name it. */
  place: { appId: string; accountId: string; storeId: string };
}

/**
 * The point of sale of this id, if it belongs to the session's account. Undefined for every other id, also for one of another
 * account: nobody learns whether it exists.
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
