import { hash } from "node:crypto";

export type Fields = Record<string, unknown>;

export interface Member {
  readonly ids: Set<string>;
  readonly phone: string | undefined;
  balance: number;
}

export interface Line {
  id: string;
  kopecks: number;
  discounted: number;
  thousandths: number;
  sn: readonly unknown[] | undefined;
  raw: Fields;
}

interface Sale {
  content: string;
  member: Member | undefined;
  spent: number;
  earned: number;
  lines: readonly Line[];
  returned: Line[];
  givenBack: number;
  clawedBack: number;
}

const EARN_PERCENT = 5;
const SPEND_PERCENT = 50;
const POINT_KOPECKS = 100;

/** The members, sales and returns of one account, in whole kopecks and points. */
export class LoyaltyBook {
  readonly members: Member[] = [];
  readonly sales = new Map<string, Sale>();
  readonly returns = new Map<string, string>();
  readonly #waiting: { saleId: string; lines: Line[] }[] = [];

  enrol(body: Fields): void {
    const ids = idsOf(body);
    const known = this.find(body);
    if (known !== undefined) for (const id of ids) known.ids.add(id);
    else this.members.push({ ids: new Set(ids), phone: body.phone === undefined ? undefined : String(body.phone), balance: 0 });
  }

  find(named: Fields | undefined | null): Member | undefined {
    const ids = named == null ? [] : idsOf(named);
    return this.members.find((member) => ids.some((id) => member.ids.has(id)));
  }

  /** The answer of recalc. `isOn` false: nothing is earned or spent. */
  quote(body: Fields, isOn: boolean): object {
    const member = isOn ? this.find(body.agent as Fields | undefined) : undefined;
    const lines = linesOf(body.positions);
    const { transactionType = "EARNING" } = { ...(body.bonusProgram as Fields | undefined) };
    const balance = member?.balance ?? 0;
    const total = worth(lines);
    const limit = Math.min(balance, Math.floor((spendable(lines) * SPEND_PERCENT) / 100 / POINT_KOPECKS));
    const asked = body.preferredBonusToSpend == null ? limit : Math.min(limit, Number(body.preferredBonusToSpend));
    const spend = transactionType === "SPENDING" ? asked : 0;
    const earn = member === undefined ? 0 : Math.floor(((total - spend * POINT_KOPECKS) * EARN_PERCENT) / 100 / POINT_KOPECKS);
    return {
      agent: body.agent,
      positions: spread(lines, spend * POINT_KOPECKS).map(told),
      bonusProgram: {
        transactionType,
        agentBonusBalance: balance,
        bonusValueToSpend: spend,
        bonusValueToEarn: earn,
        agentBonusBalanceAfter: balance - spend + earn,
        paidByBonusPoints: (spend * POINT_KOPECKS) / 100,
        receiptExtraInfo: "",
      },
      needVerification: false,
    };
  }

  order(kind: "sale" | "return", body: Fields): "booked" | "conflict" | "too-much" {
    const content = hash("sha256", canonical(body));
    const meta = { ...(body.meta as Fields | undefined) };
    const id =
      typeof meta.id === "string" && meta.id !== "" ? meta.id : canonical([body.retailStore, body.name, body.moment, body.positions]);
    return kind === "sale" ? this.#sell(id, content, body) : this.#giveBack(id, content, body);
  }

  #sell(id: string, content: string, body: Fields): "booked" | "conflict" {
    const known = this.sales.get(id);
    if (known !== undefined) return known.content === content ? "booked" : "conflict";
    const { bonusValueToSpend = 0, bonusValueToEarn = 0 } = { ...(body.bonusProgram as Fields | undefined) };
    const member = this.find(body.agent as Fields | undefined);
    const spent = Math.min(Number(bonusValueToSpend), member?.balance ?? 0);
    const earned = Math.min(Number(bonusValueToEarn), Math.floor((worth(linesOf(body.positions)) * EARN_PERCENT) / 100 / POINT_KOPECKS));
    if (member !== undefined) member.balance += earned - spent;
    const sale = { content, member, spent, earned, lines: linesOf(body.positions), returned: [], givenBack: 0, clawedBack: 0 };
    this.sales.set(id, sale);
    for (const { saleId, lines } of this.#waiting) if (saleId === id) takeBack(sale, lines);
    return "booked";
  }

  #giveBack(id: string, content: string, body: Fields): "booked" | "conflict" | "too-much" {
    const known = this.returns.get(id);
    if (known !== undefined) return known === content ? "booked" : "conflict";
    const { id: saleId = "" } = { ...((body.demand as { meta?: Fields } | undefined)?.meta ?? {}) };
    const lines = linesOf(body.positions);
    const sale = this.sales.get(String(saleId));
    if (sale !== undefined && isMore(sale, lines)) return "too-much";
    this.returns.set(id, content);
    if (sale !== undefined) takeBack(sale, lines);
    else if (saleId !== "") this.#waiting.push({ saleId: String(saleId), lines });
    return "booked";
  }
}

/** Points are moved by the share of the money of all returns so far, so that the last return moves exactly the rest. */
function takeBack(sale: Sale, lines: readonly Line[]): void {
  sale.returned.push(...lines);
  const whole = worth(sale.lines);
  const back = Math.min(whole, worth(sale.returned));
  const [give, claw] = [sale.spent, sale.earned].map((points) => (whole === 0 ? points : Math.round((points * back) / whole))) as [
    number,
    number,
  ];
  if (sale.member !== undefined) sale.member.balance += give - sale.givenBack - (claw - sale.clawedBack);
  sale.givenBack = give;
  sale.clawedBack = claw;
}

function isMore(sale: Sale, lines: readonly Line[]): boolean {
  const count = (of: readonly Line[], id: string) => of.reduce((sum, line) => sum + (line.id === id ? line.thousandths : 0), 0);
  return lines.some(({ id }) => count(lines, id) + count(sale.returned, id) > count(sale.lines, id));
}

/** Takes this sum off the lines that are sold by whole pieces, in proportion. A line whose sum cannot be divided by its pieces is split. */
function spread(lines: readonly Line[], sumKopecks: number): Line[] {
  const whole = spendable(lines);
  let [seen, taken] = [0, 0];
  return lines.flatMap((line) => {
    if (line.thousandths % 1000 !== 0 || whole === 0) return [line];
    seen += (line.kopecks * line.thousandths) / 1000;
    const share = Math.floor((sumKopecks * seen) / whole) - taken;
    taken += share;
    const pieces = line.thousandths / 1000;
    const left = line.kopecks * pieces - share;
    const [each, more] = [Math.floor(left / pieces), left % pieces];
    return [part(line, 0, pieces - more, each), part(line, pieces - more, more, each + 1)].filter(({ thousandths }) => thousandths > 0);
  });
}

function part(line: Line, from: number, pieces: number, discounted: number): Line {
  return { ...line, thousandths: pieces * 1000, discounted, sn: line.sn?.slice(from, from + pieces) };
}

function told({ raw, kopecks, discounted, thousandths, sn }: Line): object {
  const percent = kopecks === 0 ? 0 : Math.round(((kopecks - discounted) * 10_000) / kopecks) / 100;
  return {
    ...raw,
    quantity: thousandths / 1000,
    price: kopecks / 100,
    discountPercent: percent,
    discountedPrice: discounted / 100,
    ...(sn === undefined ? {} : { sn }),
  };
}

function linesOf(positions: unknown): Line[] {
  return ((positions ?? []) as Fields[]).map((raw) => {
    const { id } = (raw.assortment as { meta: Fields }).meta;
    const kopecks = Math.round(Number(raw.price) * 100);
    return {
      id: String(id),
      kopecks,
      discounted: raw.discountedPrice === undefined ? kopecks : Math.round(Number(raw.discountedPrice) * 100),
      thousandths: Math.round(Number(raw.quantity) * 1000),
      sn: raw.sn as unknown[] | undefined,
      raw,
    };
  });
}

function worth(lines: readonly Line[]): number {
  return lines.reduce((sum, { discounted, thousandths }) => sum + Math.floor((discounted * thousandths + 500) / 1000), 0);
}

function spendable(lines: readonly Line[]): number {
  return worth(lines.filter(({ thousandths }) => thousandths % 1000 === 0));
}

function idsOf(named: Fields): string[] {
  const { id } = { ...(named.meta as Fields | undefined) };
  return [id, named.id, named.syncId].filter((each): each is string => typeof each === "string" && each !== "");
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
