import { STATE } from "../types/custom/state.ts";
import { COUNTRY } from "../types/directories/country.ts";
import { CURRENCY } from "../types/directories/currency.ts";
import { PRICE_TYPE } from "../types/directories/price-type.ts";
import { PRODUCT_FOLDER } from "../types/goods/product-folder.ts";
import { placeRegions } from "./regions.ts";
import type { ShopContents } from "./shop-contents.ts";

/** Codes and names from the classifier ОКСМ. */
const COUNTRIES = [
  ["643", "Россия"],
  ["112", "Беларусь"],
  ["398", "Казахстан"],
  ["860", "Узбекистан"],
  ["156", "Китай"],
  ["792", "Турция"],
  ["356", "Индия"],
  ["144", "Шри-Ланка"],
] as const;

/** The folders: the path from the root, and the VAT rate. Without a rate, a folder uses the rate of the folder above, if any. */
const FOLDERS = [
  ["Продукты", 10],
  ["Продукты/Бакалея", undefined],
  ["Продукты/Чай и кофе", 22],
  ["Продукты/Весовые", undefined],
  ["Хозяйственные товары", 22],
  ["Одежда и обувь", 22],
  ["Услуги", undefined],
] as const;

/** ARGB colours in decimal (json-api 8.2). */
const GREY = 10_066_329;
const BLUE = 4_354_177;
const GREEN = 8_767_198;
const RED = 15_280_409;

const STATES = {
  customerorder: [
    ["Новый", GREY, "Regular"],
    ["Подтверждён", BLUE, "Regular"],
    ["Собран", BLUE, "Regular"],
    ["Выдан", GREEN, "Successful"],
    ["Отменён", RED, "Unsuccessful"],
  ],
  retaildemand: [
    ["Обычная", GREY, "Regular"],
    ["С доставкой", BLUE, "Regular"],
    ["Проверена", GREEN, "Successful"],
    ["Спорная", RED, "Unsuccessful"],
  ],
} as const;

/** Adds what other objects of the shop refer to: the currency, countries, regions, price types, folders and states. */
export function placeDirectories(shop: ShopContents): void {
  const rouble = {
    name: "руб",
    fullName: "Российский рубль",
    code: "643",
    isoCode: "RUB",
    majorUnit: { gender: "masculine", s1: "рубль", s2: "рубля", s5: "рублей" },
    minorUnit: { gender: "feminine", s1: "копейка", s2: "копейки", s5: "копеек" },
    default: true,
    system: true,
  };
  shop.place(CURRENCY, "643", rouble);
  for (const [code, name] of COUNTRIES) shop.place(SYSTEM_COUNTRY, code, { code, name, system: true });
  placeRegions(shop);
  shop.place(PRICE_TYPE, "sale", { name: "Цена продажи" });
  shop.place(PRICE_TYPE, "wholesale", { name: "Оптовая цена" });
  for (const [path, vat] of FOLDERS) {
    const cut = path.lastIndexOf("/");
    const parent = cut < 0 ? {} : { productFolder: shop.at("productfolder", path.slice(0, cut)) };
    shop.place(PRODUCT_FOLDER, path, { name: path.slice(cut + 1), ...parent, ...(vat === undefined ? {} : { vat, vatEnabled: true }) });
  }
  for (const [of, states] of Object.entries(STATES)) {
    for (const [name, color, stateType] of states) shop.place(STATE, `${of}/${name}`, { of, name, color, stateType });
  }
}

/** Fields that the classifier's countries lack. */
const OWN_ONLY = new Set(["group", "owner", "shared"]);
const SYSTEM_COUNTRY = { ...COUNTRY, fields: COUNTRY.fields.filter(({ name }) => !OWN_ONLY.has(name)) };
