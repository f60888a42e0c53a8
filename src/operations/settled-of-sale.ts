import type { Entry } from "../journal/entry.ts";
import type { Journal } from "../journal/journal.ts";
import { nextTurn } from "../kernel/clock.ts";
import { present } from "../kernel/present.ts";
import type { CorrectionStep } from "../model/correction.ts";
import { isTrade, type TradeDocument } from "../model/document.ts";
import { lineName } from "../model/draft/draft.ts";
import type { Operation, TradeOperation } from "../model/operation.ts";
import type { Settled } from "../model/returned.ts";
import { correctionId, correctionKey, isCorrectable } from "./corrections.ts";

/** The largest depth of corrections of corrections. Ordinary work has fewer levels. */
const MAX_DEPTH = 4;

/** After this many lines of returns, other work runs. */
const LINES_A_STEP = 200;

export interface SettledEntry extends Settled {
  entryId: number;
  /** False while it is unknown whether the document was registered. */
  isSure: boolean;
}

interface OfSale {
  sale: Entry;
  /** Other returns of the sale, in any state. */
  others: readonly Entry[];
  operation: TradeOperation;
  document: TradeDocument;
}

/**
 * Returns all settlements of a sale. `sold`: the sale and its corrections. `returned`: the other returns and their corrections. `back`: the
 * return to compare. Goods have their names from the sale, where known.
 */
export async function settledFrom(
  journal: Journal,
  { sale, others, operation, document }: OfSale,
): Promise<{ sold: SettledEntry[]; returned: SettledEntry[]; back: Settled }> {
  const goods = goodsOf(sale.operation);
  const sold = await settledBy(journal, sale, goods);
  const returned: SettledEntry[] = [];
  let lines = 0;
  for (const other of others) {
    const settled = await settledBy(journal, other, goods);
    returned.push(...settled);
    lines += settled.reduce((sum, one) => sum + one.lines.length, 0);
    if (lines < LINES_A_STEP) continue;
    lines = 0;
    await nextTurn();
  }
  return { sold, returned, back: renamed(document, namesOf(operation, document, goods)) };
}

/**
 * Returns the entry's receipt, if one was or may have been made, and the registered corrections of this receipt. The keys of these
 * corrections contain the receipt's fiscal sign, so corrections of a second copy do not count. For a refused entry, returns the correction
 * that registered it as missed.
 */
async function settledBy(journal: Journal, entry: Entry, goods: Goods): Promise<SettledEntry[]> {
  const settled = await chainOf(journal, entry, 0);
  if (settled.length === 0) return [];
  const names = isTrade(entry.document) ? namesOf(entry.operation, entry.document, goods) : new Map<string, string>();
  return settled.flatMap(({ id, state, document }) =>
    isTrade(document) ? [{ ...renamed(document, names), entryId: id, isSure: state === "done" }] : [],
  );
}

async function chainOf(journal: Journal, entry: Entry, depth: number): Promise<Entry[]> {
  if (entry.state === "queued" || depth > MAX_DEPTH) return [];
  const corrections = await Promise.all(stepsAfter(entry).map(({ key, step }) => correctionBy(journal, entry, key, step)));
  const found = corrections.filter((correction) => correction?.state === "done").filter((correction) => correction !== undefined);
  const further = await Promise.all(found.map((correction) => chainOf(journal, correction, depth + 1)));
  return [...(entry.state === "refused" ? [] : [entry]), ...further.flat()];
}

function stepsAfter({ state, facts }: Entry): { step: CorrectionStep; key: string | undefined }[] {
  if (state === "refused") return [{ step: "missed", key: undefined }];
  if (facts?.kind !== "fiscal") return [];
  return [
    { step: "undo", key: facts.fiscalSign },
    { step: "redo", key: facts.fiscalSign },
  ];
}

function correctionBy(journal: Journal, { key }: Entry, fiscalSign: string | undefined, step: CorrectionStep): Promise<Entry | undefined> {
  if (!isCorrectable(key.operation)) return Promise.resolve(undefined);
  const corrected = { operation: key.operation, documentId: key.documentId, ...present({ fiscalSign }) };
  return journal.find(correctionKey(key, correctionId(corrected, step)));
}

/** Names of a sale's goods by their ids at the platform. */
type Goods = ReadonlyMap<string, string>;

function goodsOf(operation: Operation): Goods {
  const goods = new Map<string, string>();
  for (const { assortment } of positionsOf(operation)) if (assortment.id !== undefined) goods.set(assortment.id, lineName(assortment.name));
  return goods;
}

/**
 * Maps each name on a line to the name in the sale. The names may differ: goods may have been renamed since the sale, or an older server
 * may have replaced characters differently. Lines and positions have the same order. Returns an empty map when lines and positions have
 * different numbers of names.
 */
function namesOf(operation: Operation, { lines }: TradeDocument, goods: Goods): ReadonlyMap<string, string> {
  const positions = positionsOf(operation);
  const inDocument = [...new Set(lines.map(({ name }) => name))];
  const inOperation = [...new Map(positions.map(({ assortment }) => [lineName(assortment.name), assortment.id]))];
  if (inDocument.length !== inOperation.length) return new Map();
  return new Map(
    inOperation.map(
      ([name, id], at) => [inDocument[at] ?? name, id === undefined ? name : (goods.get(id) ?? name)] satisfies [string, string],
    ),
  );
}

function positionsOf(operation: Operation): TradeOperation["positions"] {
  return operation.kind === "sale" || operation.kind === "sales-return" ? operation.positions : [];
}

function renamed({ sign, lines, totalKopecks }: TradeDocument, names: ReadonlyMap<string, string>): Settled {
  return { sign, totalKopecks, lines: lines.map((line) => ({ ...line, name: names.get(line.name) ?? line.name })) };
}
