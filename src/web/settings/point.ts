import { WHOLE_ACCOUNT } from "../../accounts/settings.ts";
import type { KnownPoint } from "../../accounts/shop/points-of-sale.ts";
import type { PageContext } from "./context.ts";
import type { SettingsPageServices } from "./services.ts";

/** The point of sale of a request, or the whole account. */
export interface NamedPoint extends KnownPoint {
  isWhole: boolean;
  place: { appId: string; accountId: string; storeId: string };
}

/**
 * Returns the account's point of sale with this id, or the whole account for `WHOLE_ACCOUNT`. Otherwise undefined, even when another
 * account has such a point of sale.
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
