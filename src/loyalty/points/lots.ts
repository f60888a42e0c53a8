/** Points that were credited together, with a common start and end (loyalty-model 2 and 4). Points are whole. */
export interface Lot {
  /** The number of the ledger entry that made the lot. Later lots have higher numbers. */
  number: number;
  kind: "earned" | "restored" | "granted" | "migrated";
  original: number;
  remaining: number;
  activeFromMs: number;
  /** The first moment after the lot's life. Null: the points never expire. */
  expiresAtMs: number | null;
}

export interface Allocation {
  lotNumber: number;
  points: number;
}

export interface Balance {
  activePoints: number;
  pendingPoints: number;
  debtPoints: number;
  /** Active points less the debt, at least 0. */
  availablePoints: number;
}

/** Returns the balance at a moment. It is computed from the dates, so it does not depend on the upkeep. */
export function balanceAt(lots: readonly Lot[], debtPoints: number, nowMs: number): Balance {
  let activePoints = 0;
  let pendingPoints = 0;
  for (const lot of lots) {
    if (isExpired(lot, nowMs)) continue;
    if (lot.activeFromMs <= nowMs) activePoints += lot.remaining;
    else pendingPoints += lot.remaining;
  }
  return { activePoints, pendingPoints, debtPoints, availablePoints: Math.max(0, activePoints - debtPoints) };
}

/** `allocations` has the lots in the order of use. `shortPoints`: points that no active lot has. */
export interface Debit {
  allocations: Allocation[];
  shortPoints: number;
}

/** Plans a debit from active lots, in spend order. */
export function planDebit(lots: readonly Lot[], points: number, nowMs: number): Debit {
  const allocations: Allocation[] = [];
  let shortPoints = points;
  for (const lot of spendOrder(lots, nowMs)) {
    if (shortPoints === 0) break;
    const taken = Math.min(lot.remaining, shortPoints);
    allocations.push({ lotNumber: lot.number, points: taken });
    shortPoints -= taken;
  }
  return { allocations, shortPoints };
}

/** Plans the repayment of a debt from active lots, in spend order. */
export function planRepayment(lots: readonly Lot[], debtPoints: number, nowMs: number): Allocation[] {
  return planDebit(lots, debtPoints, nowMs).allocations;
}

/** Plans the entries for expired lots that still hold points. A lot with a written expiry holds no points, so it gets no second entry. */
export function planExpiry(lots: readonly Lot[], nowMs: number): Allocation[] {
  return lots
    .filter((lot) => lot.remaining > 0 && isExpired(lot, nowMs))
    .sort((a, b) => a.number - b.number)
    .map(({ number, remaining }) => ({ lotNumber: number, points: remaining }));
}

export function isExpired({ expiresAtMs }: Pick<Lot, "expiresAtMs">, nowMs: number): boolean {
  return expiresAtMs !== null && expiresAtMs <= nowMs;
}

/**
 * Returns active lots with points: the earliest end first, then the earliest start, then the lowest number. Lots without an end come last.
 */
function spendOrder(lots: readonly Lot[], nowMs: number): Lot[] {
  return lots
    .filter((lot) => lot.remaining > 0 && lot.activeFromMs <= nowMs && !isExpired(lot, nowMs))
    .sort((a, b) => byEnd(a, b) || a.activeFromMs - b.activeFromMs || a.number - b.number);
}

function byEnd(a: Lot, b: Lot): number {
  if (a.expiresAtMs === b.expiresAtMs) return 0;
  if (a.expiresAtMs === null) return 1;
  return b.expiresAtMs === null ? -1 : a.expiresAtMs - b.expiresAtMs;
}
