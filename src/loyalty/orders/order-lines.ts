import type { LoyaltyOrderLinesTable, OrderLineRow } from "../../store/loyalty-tables.ts";
import type { ReturnedLine, SoldLine } from "../points/matching.ts";
import { lineKopecks } from "../quote/line.ts";
import type { OrderLine } from "../till-call.ts";

/** Returns a line of an order without its shares in the points spent and earned. */
export function returnedLineOf({ productId, quantityMillionths, priceKopecks, discountedKopecks }: OrderLine): ReturnedLine {
  return {
    productId,
    quantityMillionths,
    unitKopecks: discountedKopecks,
    paidKopecks: lineKopecks(discountedKopecks, quantityMillionths),
    grossKopecks: lineKopecks(priceKopecks, quantityMillionths),
  };
}

export function paidOf(lines: readonly Pick<ReturnedLine, "paidKopecks">[]): number {
  return lines.reduce((sum, { paidKopecks }) => sum + paidKopecks, 0);
}

export function rowOfLine(orderId: number, number: number, line: SoldLine): LoyaltyOrderLinesTable {
  return {
    order_id: orderId,
    number,
    product_id: line.productId,
    quantity_millionths: line.quantityMillionths,
    unit_kopecks: line.unitKopecks,
    paid_kopecks: line.paidKopecks,
    gross_kopecks: line.grossKopecks,
    points_kopecks: line.pointsKopecks,
    earning_kopecks: line.earningKopecks,
  };
}

export function lineOfRow(row: OrderLineRow): SoldLine {
  return {
    productId: row.product_id,
    quantityMillionths: row.quantity_millionths,
    unitKopecks: row.unit_kopecks,
    paidKopecks: row.paid_kopecks,
    grossKopecks: row.gross_kopecks,
    pointsKopecks: row.points_kopecks,
    earningKopecks: row.earning_kopecks,
  };
}
