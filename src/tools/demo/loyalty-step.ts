/**
 * One thing that a till does with a loyalty programme. connect: the programme is switched on, and the platform is told where it is.
 * quote: the programme is asked about a receipt, before it is made. tell: the receipt that was made is told, and the member has the points
 * that were promised. give-back: a return is told, and the member has what he had before the sale.
 */
export type LoyaltyStep = { kind: "loyalty"; title: string } & (
  | { does: "connect" | "join" }
  | { does: "quote" | "tell" | "give-back"; receipt: LoyaltyReceipt }
);

/** A sale from its quote to its return. What the programme answers is filled in while the day is played. */
export interface LoyaltyReceipt {
  readonly saleId: string;
  readonly returnId: string;
  readonly name: string;
  readonly moment: string;
  /** Whether as many points as possible are spent. */
  readonly spends: boolean;
  quoted?: QuotedReceipt;
}

/** The receipt as the programme wants it made. */
export interface QuotedReceipt {
  readonly lines: readonly ReceiptLine[];
  readonly sumKopecks: number;
  readonly spend: number;
  readonly earn: number;
  readonly balanceBefore: number;
  readonly balanceAfter: number;
}

/** One line, with the goods that it is of. */
interface ReceiptLine {
  readonly goodsIndex: number;
  readonly quantityThousandths: number;
  readonly priceKopecks: number;
  readonly discountedKopecks: number;
  readonly percentHundredths: number;
}
