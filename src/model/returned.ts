import type { Stepped } from "../kernel/work/stepped.ts";
import type { ReceiptLine, SettlementSign, TradeDocument } from "./document.ts";

/** One settlement of a sale: the sale, a return of the sale, or a correction of either. */
export type Settled = Pick<TradeDocument, "sign" | "lines" | "totalKopecks">;

/**
 * How a return refunds more than its sale and later settlements leave (fiscal-receipts 5, rule 8). `position`: the number, from 1, of the
 * return's first line with these goods.
 */
export type Excess =
  /** Nothing of the sale remains: it was not registered, or was undone completely. */
  | { kind: "nothing-sold" }
  /** The sale has no goods of this name. */
  | { kind: "goods"; position: number; name: string }
  /** `sold` and `returned` are in millionths. `returned`: the sum of all returns, this return included. */
  | { kind: "quantity"; position: number; name: string; sold: number; returned: number }
  /** `sold` and `returned` are in kopecks. `returned`: the sum of all returns, this return included. */
  | { kind: "sum"; position: number; name: string; sold: number; returned: number }
  /** `sold` and `returned` are in kopecks. */
  | { kind: "total"; sold: number; returned: number };

/**
 * Returns the excesses of the return `back` over the sale. `sold`: the sale and its corrections. `returned`: earlier returns and their
 * corrections.
 *
 * A document's sign decides whether its lines are added or subtracted: a correction that undoes a sale is subtracted from what was sold,
 * and a correction that undoes a return is subtracted from what was returned. One kopeck too much for each returned line is no excess,
 * because each line was rounded separately. The name identifies the goods, because it is the same in all these documents. A sale may have a
 * hundred returns of a thousand lines, so their lines are counted in steps.
 */
export function* excessOf(sold: readonly Settled[], returned: readonly Settled[], back: Settled): Stepped<Excess[]> {
  const ledger = { sold: yield* countedOf(sold, INTO), returned: yield* countedOf([...returned, back], OUT) };
  const nothing = ledger.sold.totalKopecks <= 0 && [...ledger.sold.goods.values()].every(({ millionths }) => millionths <= 0);
  if (nothing) return [{ kind: "nothing-sold" }];
  return [...excessOfGoods(ledger, back), ...excessOfTotal(ledger)];
}

/**
 * How a document counts when sales are summed. 1: the shop receives money, by a sale or by the return of a purchase. -1: the shop pays
 * money. `OUT`, for summing returns, is the opposite.
 */
const INTO: Record<SettlementSign, 1 | -1> = { 1: 1, 2: -1, 3: -1, 4: 1 };
const OUT: Record<SettlementSign, 1 | -1> = { 1: -1, 2: 1, 3: 1, 4: -1 };

interface Amount {
  millionths: number;
  kopecks: number;
  /** The number of lines added to this amount. Subtracted lines do not count. */
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

/** The units of work (`Stepped`) for one counted line. */
const UNITS_OF_LINE = 5;

function* countedOf(documents: readonly Settled[], direction: Record<SettlementSign, 1 | -1>): Stepped<Counted> {
  const counted: Counted = { goods: new Map(), totalKopecks: 0, lines: 0 };
  for (const { sign, lines, totalKopecks } of documents) {
    const factor = direction[sign];
    counted.totalKopecks += factor * totalKopecks;
    counted.lines += factor === 1 ? lines.length : 0;
    for (const line of lines) add(counted.goods, line, factor);
    yield lines.length * UNITS_OF_LINE;
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

/** Returns the excesses of the goods in this return. Goods that only an earlier return had were checked with that return. */
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
