import { instantOf } from "../../../src/kernel/moment.ts";
import type { Lot } from "../../../src/loyalty/points/lots.ts";
import type { Programme } from "../../../src/loyalty/programme/programme.ts";
import { readProgramme } from "../../../src/loyalty/programme/read-programme.ts";
import type { QuotePosition } from "../../../src/loyalty/quote/line.ts";
import { type QuoteInput, type QuoteMember, quote } from "../../../src/loyalty/quote/quote.ts";

export const ZONE = "Europe/Moscow";
/** A Wednesday. */
export const NOW_MS = at("2026-03-18 12:00:00");

export function at(wall: string): number {
  return instantOf(wall, ZONE);
}

/** The programme of a file. Throws what the file is refused for. */
export function programme(file: object = {}): Programme {
  const reading = readProgramme(JSON.stringify(file), { hasChannel: true });
  if (reading.kind === "refused") throw new Error(`${reading.place} ${reading.reason}`);
  return reading.programme;
}

export function lot(number: number, points: number, over: Partial<Lot> = {}): Lot {
  return { number, kind: "earned", original: points, remaining: points, activeFromMs: 0, expiresAtMs: null, ...over };
}

export function member(points: number, over: Partial<QuoteMember> = {}): QuoteMember {
  return { status: "active", lots: points === 0 ? [] : [lot(1, points)], debtPoints: 0, tier: null, hasBought: true, ...over };
}

export function position(priceKopecks: number, quantity: number, over: Partial<QuotePosition> = {}): QuotePosition {
  return { productId: "product", groupIds: [], quantityMillionths: Math.round(quantity * 1e3) * 1e3, priceKopecks, ...over };
}

export function quoted(over: Partial<QuoteInput<QuotePosition>>) {
  return quote({
    programme: programme(),
    member: member(0),
    storeId: "store",
    zone: ZONE,
    nowMs: NOW_MS,
    positions: [position(100_000, 1)],
    transactionType: "EARNING",
    ...over,
  });
}
