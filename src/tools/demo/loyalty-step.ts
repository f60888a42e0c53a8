/** One thing that a till does with a loyalty programme. */
export type LoyaltyStep = { kind: "loyalty"; title: string } & /** The programme is switched on, and the platform is told where it is. */
(
  | { does: "connect" }
  | { does: "join" }
  /** The programme is asked about a receipt, before it is made. */
  | { does: "quote"; receipt: LoyaltyReceipt }
  /** The receipt that was made is told, and the member has the points that were promised. */
  | { does: "tell"; receipt: LoyaltyReceipt }
  /** A return is told, and the member has what he had before the sale. */
  | { does: "give-back"; receipt: LoyaltyReceipt }
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
