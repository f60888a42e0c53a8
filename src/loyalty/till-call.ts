import type { TillAccount } from "./connection/keys.ts";
import type { GiftPayment } from "./gift-cards/gift-cards.ts";
import type { Identity } from "./members/identity.ts";
import type { Personal } from "./members/personal-schema.ts";

/** What every call of a till states. */
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
  /** Serial numbers. They are returned to the till unchanged. */
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
  /** True: the platform made the id. False: the register made it. */
  isNative: boolean;
  personal: Personal;
  /** `done`: the buyer was confirmed by a code, or the confirmation was skipped. */
  check: "unchecked" | "done";
}

/** A position of a completed sale or return, with its discounts. */
export interface OrderLine {
  productId: string;
  quantityMillionths: number;
  /** Price of one piece or unit. `priceKopecks`: without discounts. `discountedKopecks`: after discounts and points. */
  priceKopecks: number;
  discountedKopecks: number;
}

/** What sales and returns both state. */
export interface OrderCall extends TillCall {
  /** Absent: the document has no id. A hash of its content identifies it (`documentKeyOf`). */
  documentId?: string;
  name: string;
  /** Wall time in the zone of the point of sale, `YYYY-MM-DD HH:MM:SS`. */
  moment: string;
  buyer?: Identity;
  lines: readonly OrderLine[];
  /** What was paid in cash and otherwise. It tells documents apart that have neither an id nor positions. */
  sumsKopecks?: readonly number[];
}

export interface SaleCall extends OrderCall {
  spent: number;
  earned: number;
  giftCards: readonly GiftPayment[];
}

export interface ReturnCall extends OrderCall {
  /** The document id of the returned sale. Absent: unknown. */
  saleId?: string;
}

/** A position of the answer. One position of the call may become two positions of the answer. */
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
  /** The sum that the spent points pay. */
  paidByPointsKopecks: number;
  needsCode: boolean;
  /** The text that the till prints on the receipt, in Russian. May be empty. */
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
