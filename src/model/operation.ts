import type { WallTime } from "../kernel/moment.ts";
import type { Cashier } from "./cashier.ts";
import type { CorrectedSettlement, CorrectionStep } from "./correction.ts";
import type { Known } from "./known.ts";

/**
 * What is asked for, in our words: by the platform, or by a person who corrects what it asked for. Amounts are
 * read exactly; nothing is computed yet.
 */
export type Operation = ShiftOperation | TradeOperation | CashOperation | CorrectionOperation | ReportOperation;

export type OperationKind = Operation["kind"];

export const OPERATION_KINDS = [
  "open-shift",
  "close-shift",
  "sale",
  "sales-return",
  "cash-in",
  "cash-out",
  "correction",
  "x-report",
  "state-report",
] as const satisfies readonly OperationKind[];

/** What an id of the platform's looks like (interface 5): ids become parts of stored keys. */
export const PLATFORM_ID = /^[A-Za-z0-9-]{1,64}$/;

export const ID_TYPES = ["native", "sync"] as const;

/** An id of the platform: `native` ids are its own, `sync` ids were made at the till (platform-contracts 4.4). */
export interface PlatformId {
  id: string;
  idType: (typeof ID_TYPES)[number];
}

/** Only the platform's own ids lead to an object of its API; those that a till has made do not. */
export function isNative({ idType }: PlatformId): boolean {
  return idType === "native";
}

interface OperationHead {
  /** The document, and the key of its operation. For shifts it is the shift itself. */
  document: PlatformId;
  shift: PlatformId;
  storeId: string;
  /** The platform's own number of the document: for people, not fiscal. */
  name: string;
  /** When the platform says it happened, in the zone of the point of sale. Never the time of the fiscal document. */
  moment: WallTime;
  cashier?: Cashier;
  /** What the platform's JSON API added; never part of what makes two requests the same. */
  known?: Known;
}

export interface ShiftOperation extends OperationHead {
  kind: "open-shift" | "close-shift";
}

export interface CashOperation extends OperationHead {
  kind: "cash-in" | "cash-out";
  sumKopecks: number;
}

export interface TradeOperation extends OperationHead {
  kind: "sale" | "sales-return";
  positions: SoldPosition[];
  payments: Payments;
  phone?: string;
  email?: string;
  vatEnabled: boolean;
  /** False: prices are net and VAT is added on top. */
  vatIncluded: boolean;
  /** The sale that is being returned. */
  original?: PlatformId;
}

/** A correction receipt, which only a person asks for (fiscal-receipts 1.7). Its document has an id of our own. */
export interface CorrectionOperation extends OperationHead {
  kind: "correction";
  step: CorrectionStep;
  /** The operation whose receipt is corrected. */
  of: { operation: CorrectableKind; document: PlatformId };
  /** Taken from what was sent then, so it is computed already. */
  settlement: CorrectedSettlement;
}

/** A report in between, which only a person asks for. Its document has an id of our own, and it belongs to no shift of the platform. */
export interface ReportOperation extends OperationHead {
  kind: "x-report" | "state-report";
}

/** Operations that settle something with a buyer. */
export type CorrectableKind = TradeOperation["kind"] | "correction";

export interface SoldPosition {
  assortment: { id?: string; type?: string; name: string };
  unit?: { name: string; code?: string };
  quantityMillionths: number;
  priceKopecks: number;
  /** Shortest decimal text of a percentage; negative is a mark-up. */
  discountPercent: string;
  /** Shortest decimal text of the rate; absent when the platform sent none. */
  vatPercent?: string;
  vatEnabled: boolean;
  /** Marking codes exactly as received but for trailing line breaks. */
  marks: string[];
  pack?: { name: string; quantityMillionths: number };
}

export interface Payments {
  cashKopecks: number;
  cardKopecks: number;
  qrKopecks: number;
  prepaymentCashKopecks: number;
  prepaymentCardKopecks: number;
  prepaymentQrKopecks: number;
  advanceKopecks: number;
}
