/** A line of a sale or return as it is printed. */
export interface SlowLine {
  productId: string;
  quantityMillionths: number;
  priceKopecks: number;
  discountedKopecks: number;
}

interface SlowLot {
  remaining: bigint;
  fromMs: number;
  /** Undefined: never. */
  endMs: number | undefined;
  expired: bigint;
}

/** `lot` undefined: the part that became debt. */
interface Taken {
  lot: SlowLot | undefined;
  points: bigint;
  back: bigint;
}

interface SlowSale {
  memberId: string;
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
}

interface SlowRules {
  /** Days of life of a point, and days until an earned one can be spent; 0: at once. */
  lifeDays: number;
  waitDays: number;
  graceDays: number;
}

const DAY_MS = 86_400_000;
const MOSCOW_MS = 3 * 3_600_000;
const UNIT = 1_000_000n;

/**
 * The rules of loyalty-model 4, 6, 7 and 8 in the slowest words: every lot in one array, every share a fraction that is never
 * shortened. A point is a rouble, 5 % of the money part is earned, points pay at most half. It shares no code with the engine.
 */
export class SlowLoyalty {
  readonly #members = new Map<string, SlowMember>();
  readonly #sales = new Map<string, SlowSale>();
  readonly #rules: SlowRules;

  constructor(rules: SlowRules) {
    this.#rules = rules;
  }

  enrol(memberId: string): void {
    this.#members.set(memberId, { lots: [], debt: 0n });
  }

  /** What can be spent, what is owed, and the living lots as `points ends`, sorted. */
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

  /** What a quote must say. `wanted` absent: as much as possible; 0 spends nothing. */
  quote(memberId: string, nowMs: number, lines: readonly SlowLine[], wanted: number | undefined): { spend: number; earn: number } {
    const total = lines.reduce((sum, line) => sum + sumOf(line.priceKopecks, line.quantityMillionths), 0n);
    const { available } = this.standing(memberId, nowMs);
    const half = Number(total / 2n / 100n);
    const limit = Math.min(available, half);
    const spend = wanted === undefined ? limit : Math.min(limit, wanted);
    return { spend, earn: Number(((total - BigInt(spend) * 100n) * 5n) / 10_000n) };
  }

  grant(memberId: string, points: number, nowMs: number): void {
    const member = this.#touched(memberId, nowMs);
    member.lots.push({ remaining: BigInt(points), fromMs: nowMs, endMs: endOfDay(nowMs, this.#rules.lifeDays), expired: 0n });
    repay(member, nowMs);
  }

  sale(id: string, memberId: string, nowMs: number, sold: { lines: readonly SlowLine[]; spent: number; earned: number }): void {
    const member = this.#touched(memberId, nowMs);
    const { taken, short } = take(member.lots, BigInt(sold.spent), nowMs);
    if (short > 0n) taken.push({ lot: undefined, points: short, back: 0n });
    member.debt += short;
    const { lifeDays, waitDays } = this.#rules;
    const fromMs = waitDays === 0 ? nowMs : endOfDay(nowMs, waitDays - 1);
    const own = { remaining: BigInt(sold.earned), fromMs, endMs: endOfDay(nowMs, lifeDays), expired: 0n };
    if (sold.earned > 0) member.lots.push(own);
    this.#sales.set(id, {
      memberId,
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
  }

  /** False: more would come back than was sold, and nothing moves. */
  giveBack(saleId: string, lines: readonly SlowLine[], nowMs: number): boolean {
    const sale = this.#sales.get(saleId);
    if (sale === undefined) throw new Error(`no sale ${saleId}`);
    const all = [...sale.returned, ...lines];
    const spentShare = share(sale.lines, all, pointsPart);
    const earnedShare = share(sale.lines, all, paid);
    if (spentShare === undefined || earnedShare === undefined) return false;
    sale.returned = all;
    const member = this.#touched(sale.memberId, nowMs);
    const give = atLeast0(halfUp(sale.spent, spentShare) - sale.givenBack);
    const claw = atLeast0(halfUp(sale.earned, earnedShare) - sale.clawedBack);
    sale.givenBack += give;
    sale.clawedBack += claw;
    this.#restore(member, sale, give, nowMs);
    repay(member, nowMs);
    clawFrom(member, sale, claw, nowMs);
    return true;
  }

  /** What happens by itself. */
  upkeep(nowMs: number): void {
    for (const id of this.#members.keys()) this.#touched(id, nowMs);
  }

  #restore(member: SlowMember, sale: SlowSale, points: bigint, nowMs: number): void {
    let left = points;
    for (const each of sale.taken.toReversed()) {
      const back = least(left, each.points - each.back);
      if (back === 0n) continue;
      left -= back;
      each.back += back;
      const { lot } = each;
      if (lot === undefined) {
        const relief = least(back, member.debt);
        member.debt -= relief;
        const endMs = endOfDay(nowMs, this.#rules.lifeDays);
        if (back > relief) member.lots.push({ remaining: back - relief, fromMs: nowMs, endMs, expired: 0n });
      } else if (!isOver(lot, nowMs)) lot.remaining += back;
      else member.lots.push({ remaining: back, fromMs: nowMs, endMs: endOfDay(nowMs, this.#rules.graceDays), expired: 0n });
    }
  }

  /** The member after everything that dates alone have brought, in the order of time: points repay a debt as they become active. */
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

  #member(memberId: string): SlowMember {
    const member = this.#members.get(memberId);
    if (member === undefined) throw new Error(`no member ${memberId}`);
    return member;
  }
}

/** Spend order: earliest end, then earliest beginning, then the older lot. */
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
    taken.push({ lot, points: part, back: 0n });
  }
  return { taken, short };
}

function repay(member: SlowMember, nowMs: number): void {
  member.debt = take(member.lots, member.debt, nowMs).short;
}

function clawFrom(member: SlowMember, sale: SlowSale, points: bigint, nowMs: number): void {
  let left = points;
  if (sale.own !== undefined) {
    const fromOwn = least(left, sale.own.remaining);
    sale.own.remaining -= fromOwn;
    left -= fromOwn;
    const forgiven = least(left, sale.own.expired - sale.forgiven);
    sale.forgiven += forgiven;
    left -= forgiven;
  }
  member.debt += take(member.lots, left, nowMs).short;
}

type Fraction = readonly [top: bigint, bottom: bigint];

/** Which share of the weight has come back; undefined: more than was sold. */
function share(sold: readonly SlowLine[], returned: readonly SlowLine[], weight: (line: SlowLine) => bigint): Fraction | undefined {
  const left = sold.map((line) => BigInt(line.quantityMillionths));
  const open = returned.map((line) => BigInt(line.quantityMillionths));
  for (const isSamePrice of [true, false])
    for (const [nth, back] of returned.entries())
      for (const [index, line] of sold.entries()) {
        if (line.productId !== back.productId) continue;
        if (isSamePrice && line.discountedKopecks !== back.discountedKopecks) continue;
        const part = least(open[nth] ?? 0n, left[index] ?? 0n);
        open[nth] = (open[nth] ?? 0n) - part;
        left[index] = (left[index] ?? 0n) - part;
      }
  const isForeign = returned.map((back) => !sold.some((line) => line.productId === back.productId));
  if (open.some((rest, nth) => rest > 0n && isForeign[nth] !== true)) return undefined;
  if (isForeign.includes(true)) {
    // The sale's own goods count by what came back of its lines, whatever the till states for them.
    let back: Fraction = [
      total(
        returned.filter((_line, nth) => isForeign[nth] === true),
        paid,
      ),
      1n,
    ];
    for (const [index, line] of sold.entries()) {
      const quantity = BigInt(line.quantityMillionths);
      back = [back[0] * quantity + paid(line) * (quantity - (left[index] ?? 0n)) * back[1], back[1] * quantity];
    }
    return back[0] > total(sold, paid) * back[1] ? undefined : [back[0], back[1] * total(sold, paid)];
  }
  const of = total(sold, weight) > 0n ? weight : paid;
  let sum: Fraction = [0n, 1n];
  for (const [index, line] of sold.entries()) {
    const quantity = BigInt(line.quantityMillionths);
    const [top, bottom] = [of(line) * (quantity - (left[index] ?? 0n)), total(sold, of) * quantity];
    sum = [sum[0] * bottom + top * sum[1], sum[1] * bottom];
  }
  return sum;
}

function total(lines: readonly SlowLine[], of: (line: SlowLine) => bigint): bigint {
  return lines.reduce((sum, line) => sum + of(line), 0n);
}

function paid({ discountedKopecks, quantityMillionths }: SlowLine): bigint {
  return sumOf(discountedKopecks, quantityMillionths);
}

function pointsPart(line: SlowLine): bigint {
  return sumOf(line.priceKopecks, line.quantityMillionths) - paid(line);
}

function sumOf(kopecks: number, millionths: number): bigint {
  return (BigInt(kopecks) * BigInt(millionths) * 2n + UNIT) / (UNIT * 2n);
}

function halfUp(points: bigint, [top, bottom]: Fraction): bigint {
  return (points * top * 2n + bottom) / (bottom * 2n);
}

/** The end of the day that is so many days after this one, in Moscow. */
function endOfDay(nowMs: number, days: number): number {
  return (Math.floor((nowMs + MOSCOW_MS) / DAY_MS) + days + 1) * DAY_MS - MOSCOW_MS;
}

function isOver(lot: SlowLot, nowMs: number): boolean {
  return lot.endMs !== undefined && lot.endMs <= nowMs;
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function atLeast0(points: bigint): bigint {
  return points < 0n ? 0n : points;
}
