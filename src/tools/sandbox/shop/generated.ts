import { SeededRandom } from "../../seeded-random.ts";
import type { Account } from "../account/account.ts";
import { withCheckDigit } from "../types/goods/barcodes.ts";
import { externalCodeOf } from "../values/external-code.ts";
import type { Value, Values } from "../values/stored.ts";
import { BRANDS, KINDS, type ProductKind } from "./generated-names.ts";
import { DIRECTOR } from "./people.ts";
import { SHOP_BEGAN_MS, ShopContents } from "./shop-contents.ts";

/** `updated` of generated goods is spread over this time after the shop's beginning. */
const CHANGED_WITHIN_MS = 60 * 86_400_000;
const WHOLESALE_SHARE = 0.9;
const PURCHASE_SHARE = 0.7;

/**
 * Adds generated products (`--products`), synchronously and unlogged. The seed and the product's number determine names, articles,
 * barcodes, prices, ids and `updated`, so they need no storage.
 * A restart takes the shop from the log, generates the same number of products in `account.unlogged`, and applies later changes. The log
 * records changes and deletions of generated products like other changes.
 */
export function generateProducts(account: Account, products: number): void {
  if (products === 0) return;
  const common = commonOf(new ShopContents(account, DIRECTOR));
  const random = new SeededRandom(Number.parseInt(account.namedId("generated").slice(0, 8), 16));
  for (let place = 1; place <= products; place += 1) {
    const id = account.namedId(`product/generated/${place}`);
    account.put({ type: "product", id, values: productValues(id, place, random, common) });
  }
}

/** Values shared by all generated products. Each is one object in memory. */
interface Common {
  readonly folders: ReadonlyMap<string, Value>;
  readonly units: ReadonlyMap<string, Value>;
  readonly values: Values;
  readonly currency: Value;
  readonly sale: Value;
  readonly wholesale: Value;
}

function commonOf(shop: ShopContents): Common {
  return {
    folders: new Map(KINDS.map(({ folder }) => [folder, shop.at("productfolder", folder)])),
    units: new Map(KINDS.map(({ unit }) => [unit, shop.at("uom", unit)])),
    values: { group: shop.at("group", "main"), owner: shop.at("employee", DIRECTOR), country: shop.at("country", "643") },
    currency: shop.at("currency", "643"),
    sale: shop.at("pricetype", "sale"),
    wholesale: shop.at("pricetype", "wholesale"),
  };
}

function productValues(
  id: string,
  place: number,
  random: SeededRandom,
  { folders, units, values, currency, sale, wholesale }: Common,
): Values {
  const kind = pick(KINDS, random);
  const kopecks = priceOf(kind, random);
  const changedMs = SHOP_BEGAN_MS + random.below(CHANGED_WITHIN_MS);
  return {
    ...values,
    shared: true,
    externalCode: externalCodeOf(id),
    archived: false,
    name: nameOf(kind, random),
    code: `Г${String(place).padStart(7, "0")}`,
    article: `${kind.article}-${String(place).padStart(6, "0")}`,
    pathName: kind.folder,
    productFolder: folders.get(kind.folder),
    uom: units.get(kind.unit),
    discountProhibited: false,
    useParentVat: false,
    vat: kind.vat,
    vatEnabled: true,
    weight: kind.unit === "166" ? 1 : random.below(2_000) / 1_000,
    volume: 0,
    isSerialTrackable: false,
    trackingType: "NOT_TRACKED",
    paymentItemType: "GOOD",
    barcodes: [{ ean13: withCheckDigit(`461${String(place).padStart(9, "0")}`) }],
    buyPrice: { value: Math.round(kopecks * PURCHASE_SHARE), currency },
    salePrices: [
      { value: kopecks, currency, priceType: sale },
      { value: Math.round(kopecks * WHOLESALE_SHARE), currency, priceType: wholesale },
    ],
    updated: changedMs,
    ...(kind.unit === "166" ? { weighed: true } : {}),
  };
}

/** Returns a name like `Чай чёрный «Лесной», с чабрецом, 100 г`. */
function nameOf({ what, tastes, sizes }: ProductKind, random: SeededRandom): string {
  return [`${pick(what, random)} «${pick(BRANDS, random)}»`, pick(tastes, random), pick(sizes, random)]
    .filter((part) => part !== "")
    .join(", ");
}

/** Returns a price that ends in 90 kopecks. */
function priceOf({ roubles: [from, to] }: ProductKind, random: SeededRandom): number {
  return (from + random.below(to - from)) * 100 + 90;
}

function pick<T>(list: readonly [T, ...T[]], random: SeededRandom): T {
  return list[random.below(list.length)] ?? list[0];
}
