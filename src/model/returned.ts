import type { ReceiptLine, SettlementSign, TradeDocument } from "./document.ts";

/** A settlement of one sale as far as it counts here: the sale, a return of it, or a correction of either. */
export type Settled = Pick<TradeDocument, "sign" | "lines" | "totalKopecks">;

/**
 * How a return gives back more than its sale and the settlements since have left (fiscal-receipts 5, rule 8).
 * `position`: place among the return's lines, from 1.
 */
export type Excess =
  /** Of the sale nothing stands: it was not registered, or has been undone as a whole. */
  | { kind: "nothing-sold" }
  /** Goods that the sale does not hold. */
  | { kind: "goods"; position: number; name: string }
  /** In millionths; what was returned before and now, together. */
  | { kind: "quantity"; position: number; name: string; sold: number; returned: number }
  /** In kopecks, likewise. */
  | { kind: "sum"; position: number; name: string; sold: number; returned: number }
  | { kind: "total"; sold: number; returned: number };

/**
 * What the return gives back beyond the sale. `sold`: the sale and its corrections; `returned`: earlier returns and theirs.
 * Signs speak for themselves: the correction that undoes a sale takes its goods away again, the one that undoes a
 * return gives them back. Sums count as exceeded from more than a kopeck for each line that was returned: each line was
 * rounded by itself. Goods are told apart by their names: the same goods have the same one in all of them. Pure.
 */
export function excessOf(sold: readonly Settled[], returned: readonly Settled[], back: Settled): Excess[] {
  const ledger = { sold: countedOf(sold, INTO), returned: countedOf([...returned, back], OUT) };
  const nothing = ledger.sold.totalKopecks <= 0 && [...ledger.sold.goods.values()].every(({ millionths }) => millionths <= 0);
  if (nothing) return [{ kind: "nothing-sold" }];
  return [...excessOfGoods(ledger, back), ...excessOfTotal(ledger)];
}

/** Money comes in by a sale and by the return of a purchase. */
const INTO: Record<SettlementSign, 1 | -1> = { 1: 1, 2: -1, 3: -1, 4: 1 };
const OUT: Record<SettlementSign, 1 | -1> = { 1: -1, 2: 1, 3: 1, 4: -1 };

interface Amount {
  millionths: number;
  kopecks: number;
  /** Lines that add to it. */
  lines: number;
}

interface Counted {
  goods: Map<string, Amount>;
  totalKopecks: number;
  lines: number;
}

interface Ledger {
  sold: Counted;
  returned: Counted;
}

function countedOf(documents: readonly Settled[], direction: Record<SettlementSign, 1 | -1>): Counted {
  const counted: Counted = { goods: new Map(), totalKopecks: 0, lines: 0 };
  for (const { sign, lines, totalKopecks } of documents) {
    const factor = direction[sign];
    counted.totalKopecks += factor * totalKopecks;
    counted.lines += factor === 1 ? lines.length : 0;
    for (const line of lines) add(counted.goods, line, factor);
  }
  return counted;
}

function add(goods: Map<string, Amount>, { name, quantityMillionths, sumKopecks }: ReceiptLine, factor: 1 | -1): void {
  const amount = goods.get(name) ?? { millionths: 0, kopecks: 0, lines: 0 };
  amount.millionths += factor * quantityMillionths;
  amount.kopecks += factor * sumKopecks;
  amount.lines += factor === 1 ? 1 : 0;
  goods.set(name, amount);
}

/** Only goods that come back now: what went wrong before was told then. */
function excessOfGoods({ sold, returned }: Ledger, { lines }: Settled): Excess[] {
  const names = new Map<string, number>();
  for (const [at, { name }] of lines.entries()) if (!names.has(name)) names.set(name, at + 1);
  return [...names].flatMap(([name, position]): Excess[] => {
    const of = { position, name };
    const was = sold.goods.get(name);
    const back = returned.goods.get(name);
    if (was === undefined) return [{ kind: "goods", ...of }];
    if (back === undefined) return [];
    if (back.millionths > was.millionths) return [{ kind: "quantity", ...of, sold: was.millionths, returned: back.millionths }];
    if (back.kopecks > was.kopecks + back.lines) return [{ kind: "sum", ...of, sold: was.kopecks, returned: back.kopecks }];
    return [];
  });
}

function excessOfTotal({ sold, returned }: Ledger): Excess[] {
  if (returned.totalKopecks <= sold.totalKopecks + returned.lines) return [];
  return [{ kind: "total", sold: sold.totalKopecks, returned: returned.totalKopecks }];
}
