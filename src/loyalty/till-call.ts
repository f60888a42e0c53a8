import type { TillAccount } from "./connection/keys.ts";
import type { GiftPayment } from "./gift-cards/gift-cards.ts";
import type { Identity } from "./members/identity.ts";
import type { Personal } from "./members/personal-schema.ts";

/** What every call says. */
interface TillCall {
  account: TillAccount;
  storeId: string;
}

/** A position as the till has it, without discounts. */
export interface TillLine {
  productId: string;
  quantityMillionths: number;
  /** The price of one piece or unit. */
  priceKopecks: number;
  /** Serial numbers, which go back as they came. */
  serials?: readonly unknown[];
}

export interface RecalcCall extends TillCall {
  buyer?: Identity;
  lines: readonly TillLine[];
  transactionType: "EARNING" | "SPENDING";
  /** Absent: as many as may be spent. */
  wantedPoints?: number;
}

export interface EnrolCall extends TillCall {
  identity: Identity;
  /** The id is one of the platform's own, not made at the register. */
  isNative: boolean;
  personal: Personal;
  /** Whether the buyer was confirmed by a code, or the confirmation was skipped. */
  check: "unchecked" | "done";
}

/** A position of a sale or return as it was made: with discounts. */
export interface OrderLine {
  productId: string;
  quantityMillionths: number;
  /** For one piece or unit, without discounts and with discounts and points. */
  priceKopecks: number;
  discountedKopecks: number;
}

/** What sales and returns have in common. */
export interface OrderCall extends TillCall {
  /** Absent: the document has no id, and is told from others by what it states. */
  documentId?: string;
  name: string;
  /** Wall time in the zone of the point of sale, `YYYY-MM-DD HH:MM:SS`. */
  moment: string;
  buyer?: Identity;
  lines: readonly OrderLine[];
}

export interface SaleCall extends OrderCall {
  spent: number;
  earned: number;
  giftCards: readonly GiftPayment[];
}

export interface ReturnCall extends OrderCall {
  /** The sale that is returned; absent: nobody knows. */
  saleId?: string;
}

/** A position of the answer: final. A position of the call may have become two. */
export interface QuotedLine extends TillLine {
  /** Index of the position in the call. */
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
  /** What the spent points pay. */
  paidByPointsKopecks: number;
  needsCode: boolean;
  /** The text that the till prints on the receipt, in Russian. May be empty. */
  receiptText: string;
  lines: readonly QuotedLine[];
}

/** The quote of a sale without a programme: nothing changes, nothing moves. */
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
