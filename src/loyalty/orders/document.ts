import { createHash } from "node:crypto";
import type { OrderCall, OrderLine, ReturnCall, SaleCall } from "../till-call.ts";

/**
 * Returns the key of a document: its id, or a hash of store, name, moment and positions (platform-contracts 6.9). Without positions the
 * hash covers store, name, moment and sums (platform-contracts 6.3).
 */
export function documentKeyOf({ documentId, storeId, name, moment, lines, sumsKopecks = [] }: OrderCall): string {
  const content = lines.length > 0 ? [lines.map(lineOf)] : [[], ...sumsKopecks];
  return documentId ?? `hash:${hashOf([storeId, name, moment, ...content])}`;
}

/**
 * Returns a hash of the content of a document, which shows whether a repeat has other content. The JSON spelling does not change the hash.
 */
export function contentHashOf(call: SaleCall | ReturnCall): string {
  const { storeId, name, moment, buyer, lines } = call;
  const shared = [storeId, name, moment, buyer?.platformId ?? null, buyer?.syncId ?? null, lines.map(lineOf)];
  return "spent" in call
    ? hashOf([...shared, call.spent, call.earned, call.giftCards.map(({ cardId, kopecks }) => [cardId, kopecks])])
    : hashOf([...shared, call.saleId ?? null]);
}

/**
 * Returns a hash that is equal for a quote and its sale. The hash covers store, member, undiscounted goods and spent points. Positions that
 * the quote has split are added up.
 */
export function quoteHashOf(sale: { storeId: string; memberId: string; lines: readonly UndiscountedLine[]; spend: number }): string {
  const goods = new Map<string, number>();
  for (const { productId, priceKopecks, quantityMillionths } of sale.lines) {
    const name = `${productId}/${priceKopecks}`;
    goods.set(name, (goods.get(name) ?? 0) + quantityMillionths);
  }
  const sorted = [...goods].sort(([a], [b]) => (a < b ? -1 : 1));
  return hashOf([sale.storeId, sale.memberId, sorted, sale.spend]);
}

type UndiscountedLine = Pick<OrderLine, "productId" | "priceKopecks" | "quantityMillionths">;

function lineOf({ productId, quantityMillionths, priceKopecks, discountedKopecks }: OrderLine): unknown[] {
  return [productId, quantityMillionths, priceKopecks, discountedKopecks];
}

function hashOf(content: unknown): string {
  return createHash("sha256").update(JSON.stringify(content)).digest("hex");
}
