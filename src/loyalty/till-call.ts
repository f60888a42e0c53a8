import type { TillAccount } from "./connection/keys.ts";
import type { GiftPayment } from "./gift-cards/gift-cards.ts";
import type { Identity } from "./members/identity.ts";
import type { Personal } from "./members/personal-schema.ts";

interface TillCall {
  account: TillAccount;
  storeId: string;
}

export interface TillLine {
  productId: string;
  quantityMillionths: number;
  /** The price of one piece or unit. */
  priceKopecks: number;
  /** Serial numbers. The till gets them back unchanged. */
  serials?: readonly unknown[];
}

export interface RecalcCall extends TillCall {
  buyer?: Identity;
  lines: readonly TillLine[];
  transactionType: "EARNING" | "SPENDING";
  /** Absent: spend as many points as the programme allows. */
  wantedPoints?: number;
}

export interface EnrolCall extends TillCall {
  identity: Identity;
  /** True: the platform made the id. False: the till made it. */
  isNative: boolean;
  personal: Personal;
  /** `done`: a code confirmed the buyer, or the confirmation was skipped. */
  check: "unchecked" | "done";
}

/** A position of a completed sale or return, with its discounts. */
export interface OrderLine {
  productId: string;
  quantityMillionths: number;
  /** The prices of one piece or unit. `priceKopecks`: without discounts. `discountedKopecks`: after discounts and points. */
  priceKopecks: number;
  discountedKopecks: number;
}

export interface OrderCall extends TillCall {
  /** Absent: a hash of the content identifies the document (`documentKeyOf`). */
  documentId?: string;
  name: string;
  /** Wall time in the zone of the point of sale, `YYYY-MM-DD HH:MM:SS`. */
  moment: string;
  buyer?: Identity;
  lines: readonly OrderLine[];
  /** Sums paid in cash and by other means. They distinguish documents without id and positions. */
  sumsKopecks?: readonly number[];
}

export interface SaleCall extends OrderCall {
  spent: number;
  earned: number;
  giftCards: readonly GiftPayment[];
}

export interface ReturnCall extends OrderCall {
  saleId?: string;
}

/** A position of the answer. One position of the call may become two positions of the answer. */
export interface QuotedLine extends TillLine {
  source: number;
  discountPercentHundredths: number;
  discountedPriceKopecks: number;
}

export interface TillQuote {
  transactionType: "EARNING" | "SPENDING";
  balancePoints: number;
  spendPoints: number;
  earnPoints: number;
  afterPoints: number;
  paidByPointsKopecks: number;
  needsCode: boolean;
  /** The Russian text that the till prints on the receipt. May be empty. */
  receiptText: string;
  lines: readonly QuotedLine[];
}

/** Returns the quote of a sale to which no programme applies: prices stay the same and no points are moved. */
export function undiscounted({ lines, transactionType }: Pick<RecalcCall, "lines" | "transactionType">): TillQuote {
  return {
    transactionType,
    balancePoints: 0,
    spendPoints: 0,
    earnPoints: 0,
    afterPoints: 0,
    paidByPointsKopecks: 0,
    needsCode: false,
    receiptText: "",
    lines: lines.map((line, source) => ({ ...line, source, discountPercentHundredths: 0, discountedPriceKopecks: line.priceKopecks })),
  };
}
