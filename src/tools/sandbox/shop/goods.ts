import { GOODS, type Goods } from "../caller/shop.ts";
import { withCheckDigit } from "../types/goods/barcodes.ts";
import { BUNDLE } from "../types/goods/bundle.ts";
import { CHARACTERISTIC } from "../types/goods/characteristics.ts";
import { PRODUCT } from "../types/goods/product.ts";
import { SERVICE } from "../types/goods/service.ts";
import { VARIANT } from "../types/goods/variant.ts";
import type { Values } from "../values/stored.ts";
import type { Pointer, ShopContents } from "./shop-contents.ts";

const FOLDER_OF: Readonly<Record<string, string>> = {
  bread: "Продукты/Бакалея",
  pasta: "Продукты/Бакалея",
  tea: "Продукты/Чай и кофе",
  cheese: "Продукты/Весовые",
  apples: "Продукты/Весовые",
  shoes: "Одежда и обувь",
  dress: "Одежда и обувь",
  delivery: "Услуги",
};
const OTHER_FOLDER = "Хозяйственные товары";
const TRACKING = { shoes: "SHOES", clothing: "LP_CLOTHES" };
/** The purchase price in percent of the sale price. */
const PURCHASE_PERCENT = 70;
const WHOLESALE_PERCENT = 90;

const TSHIRT: Goods = {
  name: "Футболка хлопковая «Базовая»",
  type: "Product",
  unit: { name: "шт", code: "796" },
  priceKopecks: 99_000,
  vat: 22,
};
const TSHIRT_VARIANTS = [
  ["белый", "M"],
  ["белый", "L"],
  ["синий", "M"],
] as const;

/** Adds the goods for the project's callers, a product with variants, and a bundle. */
export function placeGoods(shop: ShopContents): void {
  const goods: readonly [string, Goods][] = [...Object.entries<Goods>(GOODS), ["tshirt", TSHIRT]];
  for (const [index, [key, each]] of goods.entries()) {
    shop.place(each.type === "Service" ? SERVICE : PRODUCT, key, goodsValues(shop, key, each, index + 1));
  }
  placeVariants(shop);
  shop.place(BUNDLE, "first", {
    name: "Набор «Первая покупка»",
    code: "00100",
    article: "НБ-100",
    productFolder: shop.at("productfolder", OTHER_FOLDER),
    barcodes: [{ ean13: ean13(100) }],
    vat: 22,
    vatEnabled: true,
    uom: shop.at("uom", "839"),
    salePrices: [salePrice(shop, "sale", 35_990)],
    components: ["tea", "soap", "bag"].map((key) => shop.element(`bundle/${key}`, { assortment: shop.at("product", key), quantity: 1 })),
  });
}

function goodsValues(shop: ShopContents, key: string, { name, type, unit, priceKopecks, vat, marked }: Goods, number: number): Values {
  const common: Values = {
    name,
    code: String(number).padStart(5, "0"),
    productFolder: shop.at("productfolder", key === "tshirt" ? "Одежда и обувь" : (FOLDER_OF[key] ?? OTHER_FOLDER)),
    uom: shop.at("uom", unit.code),
    barcodes: marked === undefined ? [{ ean13: ean13(number) }] : [{ ean13: marked.gtin.slice(1) }, { gtin: marked.gtin }],
    vat: vat ?? 0,
    vatEnabled: vat !== undefined,
    salePrices: [salePrice(shop, "sale", priceKopecks), salePrice(shop, "wholesale", percent(priceKopecks, WHOLESALE_PERCENT))],
  };
  if (type === "Service") return common;
  return {
    ...common,
    article: `АР-${String(number).padStart(3, "0")}`,
    country: shop.at("country", "643"),
    supplier: shop.at("counterparty", "supplier"),
    buyPrice: { value: percent(priceKopecks, PURCHASE_PERCENT), currency: shop.at("currency", "643") },
    ...(unit.code === "166" ? { weighed: true } : {}),
    ...(marked === undefined ? {} : { trackingType: TRACKING[marked.group] }),
  };
}

function placeVariants(shop: ShopContents): void {
  const characteristics = ["Цвет", "Размер"].map((name): [string, Pointer] => [name, shop.at(CHARACTERISTIC, name)]);
  for (const [name, pointer] of characteristics) shop.put(pointer, { name });
  for (const [index, values] of TSHIRT_VARIANTS.entries()) {
    shop.place(VARIANT, values.join("/"), {
      product: shop.at("product", "tshirt"),
      code: `00012-${index + 1}`,
      barcodes: [{ ean13: ean13(200 + index) }],
      characteristics: characteristics.map(([name, { id }], place) => ({ id, name, value: values[place] })),
    });
  }
}

function salePrice(shop: ShopContents, priceType: string, value: number): Values {
  return { value, currency: shop.at("currency", "643"), priceType: shop.at("pricetype", priceType) };
}

function percent(kopecks: number, share: number): number {
  return Math.round((kopecks * share) / 100);
}

function ean13(number: number): string {
  return withCheckDigit(`460000000${String(number).padStart(3, "0")}`);
}
