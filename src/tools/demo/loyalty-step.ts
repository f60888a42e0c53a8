/**
 * One thing that a till does with a loyalty programme. connect: the programme is switched on, and the server sends its address to the
 * platform. join: a buyer becomes a member. quote: the till asks the programme about a receipt before it is made. tell: the till sends the
 * receipt, and the member then has the promised points. give-back: the till sends a return, and the member then has the same points as
 * before the sale.
 */
export type LoyaltyStep = { kind: "loyalty"; title: string } & (
  | { does: "connect" | "join" }
  | { does: "quote" | "tell" | "give-back"; receipt: LoyaltyReceipt }
);

/** A sale from its quote to its return. `quoted` is set during the day, with the answer of the programme. */
export interface LoyaltyReceipt {
  readonly saleId: string;
  readonly returnId: string;
  readonly name: string;
  readonly moment: string;
  /** Whether as many points as possible are spent. */
  readonly spends: boolean;
  quoted?: QuotedReceipt;
}

/** The receipt as the programme has answered it. */
export interface QuotedReceipt {
  readonly lines: readonly ReceiptLine[];
  readonly sumKopecks: number;
  readonly spend: number;
  readonly earn: number;
  readonly balanceBefore: number;
  readonly balanceAfter: number;
}

/** One line. `goodsIndex` is the place of its goods in the list of all lines of the member. */
interface ReceiptLine {
  readonly goodsIndex: number;
  readonly quantityThousandths: number;
  readonly priceKopecks: number;
  readonly discountedKopecks: number;
  readonly percentHundredths: number;
}
