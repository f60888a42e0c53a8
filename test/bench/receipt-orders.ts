import type { ReceiptLine } from "../../src/model/document.ts";
import type { ReceiptOrder } from "../../src/receipts/draw.ts";
import { line, receiptDocument, receiptFacts } from "../support/receipts.ts";

/** Goods of a shop of groceries and hardware: names of every length, weights, discounts, both rates. */
const GOODS: Partial<ReceiptLine>[] = [
  { name: 'Хлеб "Дарницкий" 400 г' },
  {
    name: 'Сыр "Российский" весовой',
    quantityMillionths: 356_000,
    unit: { code: 11, label: "кг" },
    priceKopecks: 899_00,
    sumKopecks: 320_04,
  },
  {
    name: 'Средство для мытья посуды "Образец", лимон, 1 л',
    vat: 11,
    discount: { fullPriceKopecks: 60_00, percent: "8.5", differenceKopecks: 10_20 },
  },
  { name: "Молоко пастеризованное 3,2 % 930 мл" },
  { name: "Чай Greenfield Earl Grey Fantasy, 25 пакетиков", vat: 11 },
  { name: "Яблоки Гала", quantityMillionths: 1_248_000, unit: { code: 11, label: "кг" }, priceKopecks: 129_90, sumKopecks: 162_12 },
  { name: "Батарейки AA (LR6) алкалиновые, 4 шт. в упаковке", vat: 11 },
  { name: "Пакет-майка", vat: 11 },
  { name: "Макароны рожки высший сорт, 450 г" },
  { name: "Доставка", vat: 11, subject: 4 },
];

/** A sale of so many positions, as the journal has it for the drawing, on the roll of 80 mm. */
export function orderOf(positions: number): ReceiptOrder {
  const lines = Array.from({ length: positions }, (_, index) => line(GOODS[index % GOODS.length]));
  const document = receiptDocument({ lines, buyerContact: "+70000000000", senderEmail: "check@ofd.example" });
  return { document, facts: receiptFacts(document), paper: "80" };
}
