import type { Programme } from "../../loyalty/programme/programme.ts";
import type { RecalcCall } from "../../loyalty/till-call.ts";
import type { LoyaltyDesk } from "./services.ts";
import { quotedIn, receiptContext, type Tried } from "./try-receipt.ts";

export interface ReceiptSums {
  discountKopecks: number;
  spendPoints: number;
  earnPoints: number;
  paidByPointsKopecks: number;
}

/** `receipt`: the index of the receipt. */
interface ReceiptDifference {
  receipt: number;
  now: ReceiptSums;
  against: ReceiptSums;
}

export interface Comparison {
  receipts: number;
  /** Receipts whose two quotes differ in a sum or a line. */
  different: readonly ReceiptDifference[];
  now: ReceiptSums;
  against: ReceiptSums;
}

/** Quotes every receipt by two programmes and compares the quotes. Nothing is stored. */
export async function compareProgrammes(
  desk: Pick<LoyaltyDesk, "services" | "programmes">,
  calls: readonly RecalcCall[],
  programmes: { now: Programme; against: Programme },
): Promise<Comparison> {
  const different: ReceiptDifference[] = [];
  let now = nothing();
  let against = nothing();
  for (const [receipt, call] of calls.entries()) {
    const context = await receiptContext(desk, call, [programmes.now, programmes.against]);
    const first = quotedIn(context, programmes.now);
    const second = quotedIn(context, programmes.against);
    now = plus(now, sumsOf(first));
    against = plus(against, sumsOf(second));
    if (JSON.stringify([sumsOf(first), first.quote.lines]) !== JSON.stringify([sumsOf(second), second.quote.lines]))
      different.push({ receipt, now: sumsOf(first), against: sumsOf(second) });
  }
  return { receipts: calls.length, different, now, against };
}

function sumsOf({ quote, discountKopecks }: Tried): ReceiptSums {
  const { spendPoints, earnPoints, paidByPointsKopecks } = quote;
  return { discountKopecks, spendPoints, earnPoints, paidByPointsKopecks };
}

function nothing(): ReceiptSums {
  return { discountKopecks: 0, spendPoints: 0, earnPoints: 0, paidByPointsKopecks: 0 };
}

function plus(a: ReceiptSums, b: ReceiptSums): ReceiptSums {
  return {
    discountKopecks: a.discountKopecks + b.discountKopecks,
    spendPoints: a.spendPoints + b.spendPoints,
    earnPoints: a.earnPoints + b.earnPoints,
    paidByPointsKopecks: a.paidByPointsKopecks + b.paidByPointsKopecks,
  };
}
