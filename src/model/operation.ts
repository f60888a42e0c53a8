import type { WallTime } from "../kernel/moment.ts";
import type { Cashier } from "./cashier.ts";
import type { CorrectedSettlement, CorrectionStep } from "./correction.ts";
import type { Known } from "./known.ts";

/**
 * A request of the platform, a person's request for a correction or a report, or an automatic opening or closing of a shift, which the
 * server itself decides. Amounts are exact as read. Nothing is computed yet, except the `settlement` of a correction.
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

/** The form of the platform's ids (interface 5). Ids become parts of stored keys. */
export const PLATFORM_ID = /^[A-Za-z0-9-]{1,64}$/;

export const ID_TYPES = ["native", "sync"] as const;

/** An id of the platform. The platform made `native` ids, a till made `sync` ids (platform-contracts 4.4). */
export interface PlatformId {
  id: string;
  idType: (typeof ID_TYPES)[number];
}

/** Only native ids lead to an object of the platform's API. */
export function isNative({ idType }: PlatformId): boolean {
  return idType === "native";
}

interface OperationHead {
  /**
   * The document whose id is a part of the operation's key in the journal. For an opening or closing: the shift. The key of an automatic
   * opening or closing has the drive and the shift's number instead.
   */
  document: PlatformId;
  shift: PlatformId;
  storeId: string;
  /** The platform's number of the document, for people. Not a fiscal number. */
  name: string;
  /** The platform's time of the operation, in the zone of the point of sale. Never the time of the fiscal document. */
  moment: WallTime;
  cashier?: Cashier;
  /** Data of the platform's JSON API. A comparison of two requests ignores this member. */
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
  /** False: prices are without VAT, and drafting adds VAT. */
  vatIncluded: boolean;
  original?: PlatformId;
}

/** A correction receipt, requested only by a person (fiscal-receipts 1.7). This server makes its document's id. */
export interface CorrectionOperation extends OperationHead {
  kind: "correction";
  step: CorrectionStep;
  of: { operation: CorrectableKind; document: PlatformId };
  /** All values are computed already: they come from the document of the corrected operation, or from a person's right data. */
  settlement: CorrectedSettlement;
}

/**
 * A report that neither opens nor closes a shift, requested only by a person. This server makes its document's id. The report belongs to
 * no shift of the platform.
 */
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
  /** Shortest decimal text of a percentage. Negative is a mark-up. */
  discountPercent: string;
  /** Shortest decimal text of the rate. Absent when the platform sent none. */
  vatPercent?: string;
  vatEnabled: boolean;
  /** Marking codes as received, without trailing line breaks. */
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
