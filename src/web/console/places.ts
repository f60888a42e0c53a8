import type { InstallationKey } from "../../accounts/installation.ts";
import { type Content, html } from "../html.ts";

export interface Place extends InstallationKey {
  storeId?: string;
}

/** The place names of one page, from the platform. Undefined: the name is unknown. */
export interface PlaceNames {
  storeName(place: Place): string | undefined;
  accountName(place: Place): string | undefined;
}

/** Returns the name of a point of sale, or its id when the name is unknown. Undefined: the place has no point of sale. */
export function storeText(names: PlaceNames, place: Place): string | undefined {
  return names.storeName(place) ?? place.storeId;
}

export function accountText(names: PlaceNames, place: Place): string {
  return names.accountName(place) ?? place.accountId;
}

/** Draws a point of sale as a link to its rows in a list such as `/console/operations`. Adds the id to a known name. */
export function storeLink(list: string, names: PlaceNames, place: Place): Content {
  const { storeId } = place;
  return storeId === undefined ? undefined : namedLink(`${list}?store=${encodeURIComponent(storeId)}`, names.storeName(place), storeId);
}

/** Draws an account as a link to its rows in a list. */
export function accountLink(list: string, names: PlaceNames, place: Place): Content {
  return namedLink(`${list}?account=${encodeURIComponent(place.accountId)}`, names.accountName(place), place.accountId);
}

function namedLink(address: string, name: string | undefined, id: string): Content {
  return html`<a href="${address}">${name ?? id}</a>${name === undefined ? undefined : html`<div class="hint">${id}</div>`}`;
}
