import type { Installations } from "../../accounts/installations.ts";
import { WHOLE_ACCOUNT } from "../../accounts/settings.ts";
import { doneInSteps } from "../../kernel/work/in-steps.ts";
import type { Place, PlaceNames } from "../../web/console/places.ts";
import type { Shop } from "../shop.ts";

/** How many names are read at once. A page may list thousands of registers, each at another place. */
const NAMES_AT_ONCE = 50;

interface Needs {
  accounts: { installations: Pick<Installations, "get"> };
  shop: Pick<Shop, "storeNameOf">;
}

/** Reads the names of a page's places, each once. */
export async function namesOf({ accounts, shop }: Needs, places: readonly Place[]): Promise<PlaceNames> {
  const [stores, installations] = [new Map<string, Place>(), new Map<string, Place>()];
  for (const place of places) {
    installations.set(accountKey(place), place);
    if (place.storeId !== undefined && place.storeId !== WHOLE_ACCOUNT) stores.set(storeKey(place), place);
  }
  const [storeNames, accountNames] = await Promise.all([
    namesBy(stores, ({ appId, accountId, storeId = "" }) => shop.storeNameOf({ appId, accountId }, storeId)),
    namesBy(installations, async ({ appId, accountId }) => (await accounts.installations.get({ appId, accountId }))?.accountName),
  ]);
  return {
    storeName: (place) => storeNames.get(storeKey(place)),
    accountName: (place) => accountNames.get(accountKey(place)),
  };
}

async function namesBy(
  places: ReadonlyMap<string, Place>,
  nameOf: (place: Place) => Promise<string | undefined>,
): Promise<ReadonlyMap<string, string>> {
  const named = await doneInSteps([...places], NAMES_AT_ONCE, async ([key, place]) => ({ key, name: await nameOf(place) }));
  return new Map(named.flatMap(({ key, name }) => (name === undefined || name === "" ? [] : [[key, name]])));
}

function accountKey({ appId, accountId }: Place): string {
  return `${appId}/${accountId}`;
}

function storeKey(place: Place): string {
  return `${accountKey(place)}/${place.storeId}`;
}
