import type { InstallationKey } from "../accounts/installation.ts";
import type { Link, Links } from "../accounts/shop/links.ts";
import type { ShopObject, ShopOrganization, ShopStore } from "../accounts/shop/shop-object.ts";
import type { ShopObjects } from "../accounts/shop/shop-objects.ts";
import type { Subscription, Subscriptions } from "../accounts/shop/subscriptions.ts";
import { cashierNameOf } from "../model/cashier.ts";

export interface ShopTools {
  links: Pick<Links, "find">;
  objects: Pick<ShopObjects, "list">;
  subscriptions: Pick<Subscriptions, "list">;
}

/**
 * Returns lines about points of sale with ids, owners and cashiers, and about the updates of this data. Empty: the server has not begun to
 * read the account's data.
 */
export async function shopLines({ links, objects, subscriptions }: ShopTools, key: InstallationKey): Promise<string[]> {
  const link = await links.find(key);
  if (link === undefined) return [];
  const kept = await objects.list(key, ["retailstore", "organization", "employee"]);
  const known = new Map(kept.flatMap(({ id, object }) => (object === undefined ? [] : [[id, object]])));
  const stores = [...known.values()].filter((object) => object.type === "retailstore");
  return [...stores.flatMap((store) => storeLines(store, known)), ...linkLines(link), ...subscriptionLines(await subscriptions.list(key))];
}

function storeLines(store: ShopStore, known: ReadonlyMap<string, ShopObject>): string[] {
  const organization = known.get(store.organizationId ?? "");
  const cashiers = store.cashierIds.map((id) => known.get(id)).filter((object) => object?.type === "employee");
  const names = cashiers.map((cashier) => cashierNameOf(cashier) ?? cashier.id);
  return [
    `  ${store.id}  ${store.name}${store.archived === true ? " (archived)" : ""}${organization?.type === "organization" ? `, ${ownerOf(organization)}` : ""}`,
    ...(names.length === 0 ? [] : [`    cashiers: ${names.join(", ")}`]),
    ...(store.taxSystem === undefined ? [] : [`    taxation at the platform: ${store.taxSystem}`]),
  ];
}

function ownerOf({ name, inn }: ShopOrganization): string {
  return inn === undefined ? name : `${name} (ИНН ${inn})`;
}

function linkLines({ readAtMs, readProblem, moneyScale }: Link): string[] {
  return [
    ...(readAtMs === undefined
      ? ["  the shop was not read from the platform yet"]
      : [`  shop read from the platform at ${new Date(readAtMs).toISOString()}`]),
    ...(readProblem === undefined ? [] : [`  the newest reading failed: ${readProblem}`]),
    ...(moneyScale === undefined ? [] : [`  a sale's document has proved FISCAL_MONEY_SCALE=${moneyScale}`]),
  ];
}

/** Returns lines about webhooks that this server does not have. The hourly reading finds the changes that these webhooks would report. */
function subscriptionLines(subscriptions: readonly Subscription[]): string[] {
  const missing = subscriptions.filter(({ state }) => state !== "ours");
  return missing.map(({ entityType, action, state, problem }) => {
    const why = state === "taken" ? "another integration has it" : "refused";
    return `  no webhook for ${entityType} ${action}: ${why}${problem === undefined ? "" : ` (${problem})`}; read hourly instead`;
  });
}
