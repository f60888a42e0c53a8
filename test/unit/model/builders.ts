import type { ReceiptDocument } from "../../../src/model/document.ts";
import { type Draft, draftDocument } from "../../../src/model/draft/draft.ts";
import type { Payments, SoldPosition, TradeOperation } from "../../../src/model/operation.ts";
import type { StoreProfile } from "../../../src/model/store-profile.ts";

export const NOTHING_PAID: Payments = {
  cashKopecks: 0,
  cardKopecks: 0,
  qrKopecks: 0,
  prepaymentCashKopecks: 0,
  prepaymentCardKopecks: 0,
  prepaymentQrKopecks: 0,
  advanceKopecks: 0,
};

/** A general-taxation shop. */
export function profile(over: Partial<StoreProfile> = {}): StoreProfile {
  return { taxSystem: "osn", vatPayer: true, buyerContact: "email", ...over };
}

/** One piece of bread for 100.00 at 22 %. */
export function position(over: Partial<SoldPosition> = {}): SoldPosition {
  return {
    assortment: { name: "Хлеб", type: "Product" },
    unit: { name: "шт", code: "796" },
    quantityMillionths: 1_000_000,
    priceKopecks: 10_000,
    discountPercent: "0",
    vatPercent: "22",
    vatEnabled: true,
    marks: [],
    ...over,
  };
}

/** A marking code that can be read, one for each name of at most 13 characters (fiscal-receipts 4.7, shape B). */
export function mark(name: string): string {
  return `010460000000000821${name.padEnd(13, "-")}\u001d91EE10\u001d92${"x".repeat(44)}`;
}

export function trade(over: Partial<TradeOperation> = {}): TradeOperation {
  return {
    kind: "sale",
    document: { id: "a1", idType: "native" },
    shift: { id: "27", idType: "native" },
    storeId: "1",
    name: "00015",
    moment: "2026-11-12 18:42:10",
    positions: [position()],
    payments: { ...NOTHING_PAID, cashKopecks: 10_000 },
    vatEnabled: true,
    vatIncluded: true,
    ...over,
  };
}

export function draft(over: Partial<TradeOperation> = {}, store: Partial<StoreProfile> = {}): Draft {
  return draftDocument(trade(over), profile(store), { reference: "0123456789abcdef", lineSums: "within-kopeck" });
}

/** The receipt of a draft that must not be refused. */
export function receipt(over: Partial<TradeOperation> = {}, store: Partial<StoreProfile> = {}): ReceiptDocument {
  const drafted = draft(over, store);
  if (drafted.kind === "refused") throw new Error(`refused: ${JSON.stringify(drafted.refusal)}`);
  if (drafted.document.kind !== "receipt") throw new Error(drafted.document.kind);
  return drafted.document;
}

/** The refusal of a draft that must be refused. */
export function refusal(over: Partial<TradeOperation> = {}, store: Partial<StoreProfile> = {}) {
  const drafted = draft(over, store);
  if (drafted.kind !== "refused") throw new Error("not refused");
  return drafted.refusal;
}
