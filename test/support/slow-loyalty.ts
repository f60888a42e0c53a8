import { atLeast0, halfUp, least, paid, paidBack, pointsPart, type SlowLine, share, sumOf, total } from "./slow-shares.ts";
import { type SlowStanding, type SlowTier, slowTier } from "./slow-tiers.ts";

interface SlowLot {
  remaining: bigint;
  fromMs: number;
  /** Undefined: never. */
  endMs: number | undefined;
  expired: bigint;
  /** The lots to which merges, and undoings of merges, have moved the rest. */
  movedTo: SlowLot[];
}

/** `lot` is undefined for the part that became debt. */
interface Taken {
  lot: SlowLot | undefined;
  points: bigint;
}

interface SlowSale {
  /** The member in whose account it was booked. */
  memberId: string;
  soldAtMs: number;
  lines: readonly SlowLine[];
  returned: SlowLine[];
  spent: bigint;
  earned: bigint;
  givenBack: bigint;
  clawedBack: bigint;
  forgiven: bigint;
  taken: Taken[];
  own: SlowLot | undefined;
}

interface SlowMember {
  lots: SlowLot[];
  debt: bigint;
  bought: Bought[];
  standing: SlowStanding;
  /** The member into which this one was merged. */
  into: string | undefined;
}

/** A purchase that counts towards a tier. */
interface Bought {
  atMs: number;
  kopecks: bigint;
}

interface SlowMerge {
  keptId: string;
  goneId: string;
  /** The new lots of the points that were moved. */
  lots: SlowLot[];
  debt: bigint;
  /** The kept member was merged into another one since, so the merge can no longer be undone. */
  isFinal: boolean;
}

interface SlowRules {
  /** The days of life of a point, and the days until an earned point can be spent. 0: at once. */
  lifeDays: number;
  waitDays: number;
  graceDays: number;
  tiers?: readonly SlowTier[];
}

const DAY_MS = 86_400_000;
const MOSCOW_MS = 3 * 3_600_000;
const FIVE_PERCENT = 500;
const NO_TIER: SlowStanding = { tier: undefined, reviewMs: undefined };

/**
 * The rules of loyalty-model 4, 6, 7, 8, 9 and 12, computed in the simplest way: every lot is in one array, and shares are
 * fractions. A point is a rouble, 5 % of the money is earned unless the caller says otherwise, and points pay at most half. Members
 * have names that the caller chooses. It shares no code with the engine.
 */
export class SlowLoyalty {
  readonly #members = new Map<string, SlowMember>();
  readonly #sales = new Map<string, SlowSale>();
  readonly #rules: SlowRules;
  #merges: SlowMerge[] = [];

  constructor(rules: SlowRules) {
    this.#rules = rules;
  }

  enrol(memberId: string): void {
    this.#members.set(memberId, { lots: [], debt: 0n, bought: [], standing: NO_TIER, into: undefined });
  }

  /** The member that was kept for this one. */
  keptOf(memberId: string): string {
    const { into } = this.#member(memberId);
    return into === undefined ? memberId : this.keptOf(into);
  }

  tierOf(memberId: string): SlowStanding {
    return this.#member(memberId).standing;
  }

  /** The points that can be spent, the debt, and the living lots as `points ends`, sorted. */
  standing(memberId: string, nowMs: number): { available: number; debt: number; lots: string[] } {
    const { lots, debt } = this.#member(memberId);
    const alive = lots.filter((lot) => lot.remaining > 0n && !isOver(lot, nowMs));
    const active = alive.filter((lot) => lot.fromMs <= nowMs).reduce((sum, lot) => sum + lot.remaining, 0n);
    return {
      available: active > debt ? Number(active - debt) : 0,
      debt: Number(debt),
      lots: alive.map((lot) => `${lot.remaining} ${lot.endMs}`).sort(),
    };
  }

  /** The right quote. Without `wanted` it spends as much as possible; with 0 it spends nothing. */
  quote(
    memberId: string,
    nowMs: number,
    lines: readonly SlowLine[],
    wanted: number | undefined,
    percentHundredths = FIVE_PERCENT,
  ): { spend: number; earn: number } {
    const total = lines.reduce((sum, line) => sum + sumOf(line.priceKopecks, line.quantityMillionths), 0n);
    const { available } = this.standing(memberId, nowMs);
    const half = Number(total / 2n / 100n);
    const limit = Math.min(available, half);
    const spend = wanted === undefined ? limit : Math.min(limit, wanted);
    return { spend, earn: this.earned(memberId, total - BigInt(spend) * 100n, { percentHundredths, nowMs }) };
  }

  /** The points that the member gets for so much money. A tier counts up to the day of its review. */
  earned(memberId: string, kopecks: bigint, { percentHundredths, nowMs }: { percentHundredths: number; nowMs: number }): number {
    const { tier } = this.#standingAt(memberId, nowMs);
    const own = this.#rules.tiers?.find(({ name }) => name === tier);
    return Number((kopecks * BigInt(percentHundredths) * BigInt(own?.multiplierHundredths ?? 100)) / 100_000_000n);
  }

  grant(memberId: string, points: number, nowMs: number): void {
    const member = this.#touched(memberId, nowMs);
    member.lots.push({ remaining: BigInt(points), fromMs: nowMs, endMs: endOfDay(nowMs, this.#rules.lifeDays), expired: 0n, movedTo: [] });
    repay(member, nowMs);
  }

  /** Takes points out if so many can be spent. */
  deduct(memberId: string, points: number, nowMs: number): boolean {
    const member = this.#touched(memberId, nowMs);
    if (this.standing(memberId, nowMs).available < points) return false;
    take(member.lots, BigInt(points), nowMs);
    repay(member, nowMs);
    return true;
  }

  /** Adds a member's points and purchases from an import. */
  takeOver(memberId: string, nowMs: number, row: { points: number; spentKopecks: number }): void {
    const member = this.#member(memberId);
    const endMs = endOfDay(nowMs, this.#rules.lifeDays);
    if (row.points > 0) {
      member.lots.push({ remaining: BigInt(row.points), fromMs: nowMs, endMs, expired: 0n, movedTo: [] });
      repay(member, nowMs);
    }
    if (row.spentKopecks > 0) member.bought.push({ atMs: nowMs, kopecks: BigInt(row.spentKopecks) });
    this.#review(memberId, nowMs);
  }

  /** Returns false when both ids are the same, or when one of the two members was merged into another already. */
  merge(keptId: string, goneId: string, nowMs: number): boolean {
    const [kept, gone] = [this.#member(keptId), this.#member(goneId)];
    if (keptId === goneId || kept.into !== undefined || gone.into !== undefined) return false;
    this.#touched(goneId, nowMs);
    this.#touched(keptId, nowMs);
    for (const earlier of this.#merges) earlier.isFinal ||= earlier.keptId === goneId;
    const lots = moveLots(gone.lots, kept.lots);
    this.#merges.push({ keptId, goneId, lots, debt: gone.debt, isFinal: false });
    kept.debt += gone.debt;
    gone.debt = 0n;
    gone.into = keptId;
    repay(kept, nowMs);
    this.#review(keptId, nowMs);
    return true;
  }

  /** Moves back what is left of the moved points. Returns false when the two are not merged, or the kept member was merged since. */
  undoMerge(keptId: string, goneId: string, nowMs: number): boolean {
    const merge = this.#merges.findLast((each) => each.keptId === keptId && each.goneId === goneId);
    const [kept, gone] = [this.#member(keptId), this.#member(goneId)];
    if (merge === undefined || kept.into !== undefined || merge.isFinal) return false;
    this.#touched(keptId, nowMs);
    moveLots(merge.lots, gone.lots);
    const debt = least(merge.debt, kept.debt);
    kept.debt -= debt;
    gone.debt += debt;
    gone.into = undefined;
    this.#merges = this.#merges.filter((each) => each !== merge);
    repay(gone, nowMs);
    return true;
  }

  /** `soldAtMs` is the time on the document. */
  sale(
    id: string,
    memberId: string,
    nowMs: number,
    sold: { lines: readonly SlowLine[]; spent: number; earned: number; soldAtMs?: number },
  ): void {
    const { soldAtMs = nowMs } = sold;
    const member = this.#touched(memberId, nowMs);
    member.standing = this.#standingAt(memberId, nowMs);
    const { taken, short } = take(member.lots, BigInt(sold.spent), nowMs);
    if (short > 0n) taken.push({ lot: undefined, points: short });
    member.debt += short;
    const { lifeDays, waitDays } = this.#rules;
    const fromMs = waitDays === 0 ? nowMs : endOfDay(nowMs, waitDays - 1);
    const own = { remaining: BigInt(sold.earned), fromMs, endMs: endOfDay(nowMs, lifeDays), expired: 0n, movedTo: [] };
    if (sold.earned > 0) member.lots.push(own);
    this.#sales.set(id, {
      memberId,
      soldAtMs,
      lines: sold.lines,
      returned: [],
      spent: BigInt(sold.spent),
      earned: BigInt(sold.earned),
      givenBack: 0n,
      clawedBack: 0n,
      forgiven: 0n,
      taken,
      own: sold.earned > 0 ? own : undefined,
    });
    repay(member, nowMs);
    member.bought.push({ atMs: soldAtMs, kopecks: total(sold.lines, paid) });
    this.#review(memberId, nowMs);
  }

  /** Returns false when more would be returned than was sold. Then no points move. */
  giveBack(saleId: string, lines: readonly SlowLine[], nowMs: number): boolean {
    const sale = this.#sales.get(saleId);
    if (sale === undefined) throw new Error(`no sale ${saleId}`);
    const all = [...sale.returned, ...lines];
    const spentShare = share(sale.lines, all, pointsPart, "smaller");
    const earnedShare = share(sale.lines, all, paid, "larger");
    if (spentShare === undefined || earnedShare === undefined) return false;
    const moneyBack = paidBack(sale.lines, all) - paidBack(sale.lines, sale.returned);
    sale.returned = all;
    const memberId = this.keptOf(sale.memberId);
    const member = this.#touched(memberId, nowMs);
    const give = atLeast0(halfUp(sale.spent, spentShare) - sale.givenBack);
    const claw = atLeast0(halfUp(sale.earned, earnedShare) - sale.clawedBack);
    this.#restore(member, sale, give, nowMs);
    sale.givenBack += give;
    sale.clawedBack += claw;
    repay(member, nowMs);
    clawFrom(member, sale, trailOf(sale.own), claw, nowMs);
    this.#member(sale.memberId).bought.push({ atMs: sale.soldAtMs, kopecks: -moneyBack });
    this.#review(memberId, nowMs);
    return true;
  }

  /** Does what follows from dates. */
  upkeep(nowMs: number): void {
    for (const id of this.#members.keys()) this.upkeepOf(id, nowMs);
  }

  upkeepOf(memberId: string, nowMs: number): void {
    this.#touched(memberId, nowMs);
    this.#review(memberId, nowMs);
  }

  /**
   * Gives points back, beginning with the lot that the sale has used last. Points of a merged member come back in new lots with
   * the same dates.
   */
  #restore(member: SlowMember, sale: SlowSale, points: bigint, nowMs: number): void {
    let left = points;
    let before = sale.givenBack;
    const isTakenOver = this.#member(sale.memberId).into !== undefined;
    for (const each of sale.taken.toReversed()) {
      const known = least(before, each.points);
      before -= known;
      const back = least(left, each.points - known);
      if (back === 0n) continue;
      left -= back;
      const { lot } = each;
      if (lot === undefined) {
        const relief = least(back, member.debt);
        member.debt -= relief;
        const endMs = endOfDay(nowMs, this.#rules.lifeDays);
        if (back > relief) member.lots.push({ remaining: back - relief, fromMs: nowMs, endMs, expired: 0n, movedTo: [] });
      } else if (!isOver(lot, nowMs) && isTakenOver) member.lots.push({ ...lot, remaining: back, expired: 0n, movedTo: [] });
      else if (!isOver(lot, nowMs)) lot.remaining += back;
      else member.lots.push({ remaining: back, fromMs: nowMs, endMs: endOfDay(nowMs, this.#rules.graceDays), expired: 0n, movedTo: [] });
    }
  }

  /** The member after everything that follows from dates, in the order of time: points that become active repay a debt. */
  #touched(memberId: string, nowMs: number): SlowMember {
    const member = this.#member(memberId);
    const moments = member.lots.map((lot) => lot.fromMs).filter((fromMs) => fromMs <= nowMs);
    for (const moment of moments.sort((a, b) => a - b)) repay(member, moment);
    for (const lot of member.lots) {
      if (!isOver(lot, nowMs)) continue;
      lot.expired += lot.remaining;
      lot.remaining = 0n;
    }
    return member;
  }

  /** Decides the tier by the purchases of the member and of all members merged into it. */
  #review(memberId: string, nowMs: number): void {
    const { tiers = [] } = this.#rules;
    if (tiers.length === 0) return;
    const member = this.#member(memberId);
    const bought = this.#personOf(memberId).flatMap((id) => this.#member(id).bought);
    member.standing = slowTier(tiers, member.standing, bought, nowMs);
  }

  /** The tier after the reviews that are due. */
  #standingAt(memberId: string, nowMs: number): SlowStanding {
    const { standing } = this.#member(memberId);
    if (standing.reviewMs === undefined || standing.reviewMs > nowMs) return standing;
    const bought = this.#personOf(memberId).flatMap((id) => this.#member(id).bought);
    return slowTier(this.#rules.tiers ?? [], standing, bought, nowMs);
  }

  #personOf(memberId: string): string[] {
    const gone = this.#merges.filter(({ keptId }) => keptId === memberId);
    return [memberId, ...gone.flatMap(({ goneId }) => this.#personOf(goneId))];
  }

  #member(memberId: string): SlowMember {
    const member = this.#members.get(memberId);
    if (member === undefined) throw new Error(`no member ${memberId}`);
    return member;
  }
}

/** Takes points in this order: earliest end, then earliest beginning, then the older lot. */
function take(lots: readonly SlowLot[], points: bigint, nowMs: number): { taken: Taken[]; short: bigint } {
  const active = lots.filter((lot) => lot.remaining > 0n && lot.fromMs <= nowMs && !isOver(lot, nowMs));
  active.sort((a, b) => (a.endMs ?? Infinity) - (b.endMs ?? Infinity) || a.fromMs - b.fromMs || lots.indexOf(a) - lots.indexOf(b));
  const taken: Taken[] = [];
  let short = points;
  for (const lot of active) {
    const part = least(lot.remaining, short);
    if (part === 0n) continue;
    lot.remaining -= part;
    short -= part;
    taken.push({ lot, points: part });
  }
  return { taken, short };
}

function repay(member: SlowMember, nowMs: number): void {
  if (member.debt === 0n) return;
  member.debt = take(member.lots, member.debt, nowMs).short;
}

/** Moves what remains in some lots into new lots with the same dates, and returns the new lots. */
function moveLots(from: readonly SlowLot[], to: SlowLot[]): SlowLot[] {
  const made: SlowLot[] = [];
  for (const lot of from) {
    if (lot.remaining === 0n) continue;
    const there: SlowLot = { ...lot, expired: 0n, movedTo: [] };
    made.push(there);
    lot.movedTo.push(there);
    lot.remaining = 0n;
  }
  to.push(...made);
  return made;
}

/** The lot of a sale, and the lots to which merges and undoings have moved it. */
function trailOf(lot: SlowLot | undefined): SlowLot[] {
  return lot === undefined ? [] : [lot, ...lot.movedTo.flatMap(trailOf)];
}

/** `own`: the lots of `trailOf`. The member may hold several of them. */
function clawFrom(member: SlowMember, sale: SlowSale, own: readonly SlowLot[], points: bigint, nowMs: number): void {
  let left = points;
  for (const lot of member.lots.filter((each) => own.includes(each))) {
    const fromOwn = least(left, lot.remaining);
    lot.remaining -= fromOwn;
    left -= fromOwn;
  }
  const expired = own.reduce((sum, lot) => sum + lot.expired, 0n);
  const forgiven = atLeast0(least(left, expired - sale.forgiven));
  sale.forgiven += forgiven;
  left -= forgiven;
  member.debt += take(member.lots, left, nowMs).short;
}

/** The end of the day in Moscow that is so many days after this one. */
function endOfDay(nowMs: number, days: number): number {
  return (Math.floor((nowMs + MOSCOW_MS) / DAY_MS) + days + 1) * DAY_MS - MOSCOW_MS;
}

function isOver(lot: SlowLot, nowMs: number): boolean {
  return lot.endMs !== undefined && lot.endMs <= nowMs;
}
