/** Points enter as lots, each with its own beginning and end (loyalty-model 2 and 4). Points are whole. */
export interface Lot {
  /** The number of the entry that has made it; the later, the higher. */
  number: number;
  kind: "earned" | "restored" | "granted" | "migrated";
  original: number;
  remaining: number;
  activeFromMs: number;
  /** The first moment at which it is over; null: never. */
  expiresAtMs: number | null;
}

/** Points that are taken from a lot. */
export interface Allocation {
  lotNumber: number;
  points: number;
}

export interface Balance {
  /** In lots that can be spent now. */
  activePoints: number;
  /** In lots that will become active. */
  pendingPoints: number;
  debtPoints: number;
  /** What can be spent, and what is shown: active points less the debt, never below 0. */
  availablePoints: number;
}

/** The balance at a moment. It follows from the dates, whether or not the job has written what has expired. */
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

/** What a debit takes, in the order in which it takes it. `shortPoints`: what no active lot holds. */
export interface Debit {
  allocations: Allocation[];
  shortPoints: number;
}

/** Plans a debit by the spend order: only active lots, and what is missing is said, never taken. */
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

/** What active points repay of a debt: an allocation of each lot that repays, in spend order. */
export function planRepayment(lots: readonly Lot[], debtPoints: number, nowMs: number): Allocation[] {
  return planDebit(lots, debtPoints, nowMs).allocations;
}

/** What is over at this moment and still holds points. After its entries are written there is nothing left to plan. */
export function planExpiry(lots: readonly Lot[], nowMs: number): Allocation[] {
  return lots
    .filter((lot) => lot.remaining > 0 && isExpired(lot, nowMs))
    .sort((a, b) => a.number - b.number)
    .map(({ number, remaining }) => ({ lotNumber: number, points: remaining }));
}

export function isExpired({ expiresAtMs }: Pick<Lot, "expiresAtMs">, nowMs: number): boolean {
  return expiresAtMs !== null && expiresAtMs <= nowMs;
}

/** Active lots that hold points: earliest end first, then earliest beginning, then lowest number; those without an end last. */
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
