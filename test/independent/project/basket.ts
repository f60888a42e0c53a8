import type { Position } from "../driver/requests.ts";
import type { Receipt } from "../driver/till.ts";

export const bread: Position = { name: "Хлеб", quantityMillionths: 2_000_000, priceKopecks: 5_000, totalKopecks: 10_000, rate: 0x02 };
const coffee: Position = { name: "Кофе", quantityMillionths: 1_500_000, priceKopecks: 9_990, totalKopecks: 14_985, rate: 0x01 };
/** A position without a sum, which the device computes. */
const bag: Position = { name: "Пакет", quantityMillionths: 1_000_000, priceKopecks: 700, rate: 0x08 };

/** Three positions, at 10 %, at 20 or 22 %, and without VAT: 100.00 + 149.85 + 7.00 = 256.85. */
export const basket = {
  totalKopecks: 25_685,
  receipt: {
    kind: "income",
    positions: [bread, coffee, bag],
    closing: { cashKopecks: 20_000, cardKopecks: 10_000, taxSystem: 1 },
  } satisfies Receipt,
};
