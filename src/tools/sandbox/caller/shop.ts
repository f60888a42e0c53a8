import { gtinOf, type MarkedGroup } from "./marks.ts";

/** The price includes VAT. */
export interface Goods {
  name: string;
  type: "Product" | "Service";
  unit: { name: string; code: string };
  priceKopecks: number;
  /** In percent. Absent: sold without VAT. */
  vat?: number;
  marked?: { group: MarkedGroup; gtin: string };
}

const PIECE = { name: "шт", code: "796" };
const KILOGRAM = { name: "кг", code: "166" };

/** The goods of a small shop. Unit codes are from the classifier ОКЕИ. */
export const GOODS = {
  bread: { name: "Хлеб «Дарницкий», 400 г", type: "Product", unit: PIECE, priceKopecks: 5490, vat: 10 },
  pasta: { name: "Макароны «Спиральки», 450 г", type: "Product", unit: PIECE, priceKopecks: 6490, vat: 10 },
  tea: { name: "Чай чёрный «Утренний», 100 пакетиков", type: "Product", unit: PIECE, priceKopecks: 21990, vat: 22 },
  soap: { name: "Средство для мытья посуды «Лимон», 1 л", type: "Product", unit: PIECE, priceKopecks: 14990, vat: 22 },
  batteries: { name: "Батарейки AA алкалиновые, 4 шт.", type: "Product", unit: PIECE, priceKopecks: 25900, vat: 22 },
  bag: { name: "Пакет-майка, большой", type: "Product", unit: PIECE, priceKopecks: 990, vat: 22 },
  cheese: { name: "Сыр «Российский», весовой", type: "Product", unit: KILOGRAM, priceKopecks: 89900, vat: 10 },
  apples: { name: "Яблоки «Гала», весовые", type: "Product", unit: KILOGRAM, priceKopecks: 12990, vat: 10 },
  shoes: {
    name: "Ботинки мужские, арт. 1234, р. 42",
    type: "Product",
    unit: PIECE,
    priceKopecks: 599000,
    vat: 22,
    marked: { group: "shoes", gtin: gtinOf("0460000000101") },
  },
  dress: {
    name: "Платье женское, арт. 5678, р. 46",
    type: "Product",
    unit: PIECE,
    priceKopecks: 349000,
    vat: 22,
    marked: { group: "clothing", gtin: gtinOf("0460000000202") },
  },
  delivery: { name: "Доставка по району", type: "Service", unit: PIECE, priceKopecks: 15000 },
} as const satisfies Record<string, Goods>;

export interface Person {
  lastName: string;
  firstName: string;
  middleName: string;
}

export const CASHIER: Person = { lastName: "Иванова", firstName: "Мария", middleName: "Петровна" };
