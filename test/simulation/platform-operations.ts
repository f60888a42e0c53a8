import type { WallTime } from "../../src/kernel/moment.ts";
import type { Operation, PlatformId, TradeOperation } from "../../src/model/operation.ts";
import type { SeededChance } from "./seeded-chance.ts";

const STORE = "store";
const MOST_ROUBLES = 500;

export function headOf(shift: PlatformId, name: string, moment: WallTime) {
  return { shift, storeId: STORE, name, moment };
}

/** An operation that a cashier enters. */
export function someOperation(id: string, shift: PlatformId, moment: WallTime, chance: SeededChance): Operation {
  const document: PlatformId = { id: `document-${id}`, idType: "native" };
  const head = { ...headOf(shift, id, moment), document };
  // Only a few sums, so that code that tells documents apart by their sums alone fails here.
  const sumKopecks = 100 * (1 + (chance.happens(0.5) ? chance.below(3) : chance.below(MOST_ROUBLES)));
  const kind = chance.pick(["sale", "sale", "sale", "sales-return", "cash-in", "cash-in", "cash-out"] as const);
  if (kind === "cash-in" || kind === "cash-out") return { ...head, kind, sumKopecks };
  return { ...head, kind, ...tradeOf(sumKopecks, chance.happens(0.5)) };
}

function tradeOf(sumKopecks: number, inCash: boolean): Pick<TradeOperation, "positions" | "payments" | "vatEnabled" | "vatIncluded"> {
  const none = { qrKopecks: 0, prepaymentCashKopecks: 0, prepaymentCardKopecks: 0, prepaymentQrKopecks: 0, advanceKopecks: 0 };
  return {
    positions: [
      {
        assortment: { name: "Хлеб" },
        quantityMillionths: 1_000_000,
        priceKopecks: sumKopecks,
        discountPercent: "0",
        vatPercent: "10",
        vatEnabled: true,
        marks: [],
      },
    ],
    payments: { ...none, cashKopecks: inCash ? sumKopecks : 0, cardKopecks: inCash ? 0 : sumKopecks },
    vatEnabled: true,
    vatIncluded: true,
  };
}

/** The body of this version of a document. From version 2 on the sum is another one, or for a shift the name. */
export function withVersion(operation: Operation, version: number): Operation {
  if (version === 1) return operation;
  const more = version - 1;
  if ("sumKopecks" in operation) return { ...operation, sumKopecks: operation.sumKopecks + more };
  if ("positions" in operation) {
    const { positions, payments } = operation;
    return {
      ...operation,
      positions: positions.map((position) => ({ ...position, priceKopecks: position.priceKopecks + more })),
      payments:
        payments.cashKopecks > 0
          ? { ...payments, cashKopecks: payments.cashKopecks + more }
          : { ...payments, cardKopecks: payments.cardKopecks + more },
    };
  }
  return { ...operation, name: `${operation.name} version ${version}` };
}

export function contentHashOf(operation: Operation, version: number): string {
  return `${operation.document.id} version ${version}`;
}

export function versionOf(contentHash: string): number {
  return Number(contentHash.split(" version ").at(-1));
}
