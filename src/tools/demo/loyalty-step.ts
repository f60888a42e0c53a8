/**
 * One step of a till with a loyalty programme.
 * `connect`: switches the programme on; the server then sends the programme's address to the platform.
 * `join`: a buyer becomes a member.
 * `quote`: asks the programme about a receipt before the sale.
 * `tell`: sends the receipt; the member then has the promised points.
 * `give-back`: sends a return; the member then has the points from before the sale.
 */
export type LoyaltyStep = { kind: "loyalty"; title: string } & (
  | { does: "connect" | "join" }
  | { does: "quote" | "tell" | "give-back"; receipt: LoyaltyReceipt }
);

/** A sale from its quote to its return. `quoted`: the programme's answer, set during the day. */
export interface LoyaltyReceipt {
  readonly saleId: string;
  readonly returnId: string;
  readonly name: string;
  readonly moment: string;
  /** Whether the sale spends as many points as possible. */
  readonly spends: boolean;
  quoted?: QuotedReceipt;
}

export interface QuotedReceipt {
  readonly lines: readonly ReceiptLine[];
  readonly sumKopecks: number;
  readonly spend: number;
  readonly earn: number;
  readonly balanceBefore: number;
  readonly balanceAfter: number;
}

/** `goodsIndex`: the place of the line's goods in `LOYALTY_LINES`. */
interface ReceiptLine {
  readonly goodsIndex: number;
  readonly quantityThousandths: number;
  readonly priceKopecks: number;
  readonly discountedKopecks: number;
  readonly percentHundredths: number;
}
