import type { EntryHead } from "../../../journal/reading/head.ts";
import { isReadable, type UnreadableEntry } from "../../../journal/reading/unreadable.ts";
import { instantOf, wallAsUtcMs, wallFromUtc, wallTimeAt } from "../../../kernel/moment.ts";
import { formatKopecks } from "../../../kernel/money.ts";
import { VAT_CODES, VAT_RATES, type VatCode } from "../../../model/tax.ts";
import { grouped, roubles } from "../../amounts.ts";
import { html, type Markup } from "../../html.ts";
import type { Cell } from "../export/csv.ts";
import { CUT, type Piece } from "../export/send.ts";
import type { ListFilter } from "../filter.ts";
import type { ConsoleContext, ConsoleView } from "../layout.ts";
import { listPage } from "../list-page.ts";
import { searchOf } from "../operations-page.ts";
import { type PlaceNames, storeText } from "../places.ts";
import type { ConsoleServices } from "../services.ts";
import { counts, type DayTotal, Totals } from "./totals.ts";

const DEFAULT_DAYS = 7;
const DAY_MS = 24 * 3_600_000;
/**
 * The maximum number of operations that one page or export reads. They are read in pieces. A person who needs more chooses fewer days or an
 * account.
 */
const MAX_ADDED = 200_000;
const PIECE_ROWS = 1_000;

interface Added {
  days: readonly DayTotal[];
  /** True: the sum stopped at the limit, so operations may be missing. */
  cut: boolean;
  /** The operations that are left out, because they cannot be read. */
  unreadable: readonly Unreadable[];
}

type Unreadable = Pick<UnreadableEntry, "id" | "problem">;

type Heads = Pick<ConsoleServices["journal"]["heads"], "search" | "withDocuments">;

export async function totalsPage(services: ConsoleServices, context: ConsoleContext, filter: ListFilter): Promise<ConsoleView> {
  const { say } = context;
  const { days, cut, unreadable } = await addUp(services, context, filter);
  const names = await services.namesOf(days.map(({ usedBy }) => usedBy));
  const title = say("Итоги", "Totals");
  const content = html`${listPage({
    say,
    address: "/console/totals",
    filter: withDays(context, filter),
    title,
    fields: ["from", "to", "account", "store"],
    head: [
      say("День", "Day"),
      say("Точка продаж", "Point of sale"),
      { sum: say("Продажи", "Sales") },
      { sum: say("Возвраты", "Returns") },
      { sum: say("Итого", "Total") },
      say("По ставкам", "By rate"),
    ],
    rows: days.map((day) => dayRow(say, day, names)),
  })}${cut ? html`<p class="panel amber">${say("Операций слишком много: показана часть. Выберите меньше дней.", "Too many operations: a part is shown. Choose fewer days.")}</p>` : undefined}
${unreadable.length === 0 ? undefined : unreadablePanel(say, unreadable)}
${days.length === 0 ? undefined : picture(say, days, names)}`;
  return { page: "totals", title, content };
}

/**
 * Adds up the operations that match the filter. Reads at most `MAX_ADDED` operations, the newest first. A filter without days is completed
 * by `withDays`.
 */
async function addUp(
  { journal: { heads } }: { journal: { heads: Heads } },
  context: Pick<ConsoleContext, "nowMs" | "zone">,
  filter: ListFilter,
): Promise<Added> {
  const totals = new Totals();
  const unreadable: Unreadable[] = [];
  const { page: _, q: __, ...chosen } = withDays(context, filter);
  let before: Pick<EntryHead, "acceptedAtMs" | "id"> | undefined;
  for (let read = 0; read < MAX_ADDED; read += PIECE_ROWS) {
    const piece = await heads.search({ ...searchOf(chosen), ...(before === undefined ? {} : { before }), limit: PIECE_ROWS });
    unreadable.push(...piece.filter((entry): entry is UnreadableEntry => !isReadable(entry)));
    for await (const { head, ...read } of heads.withDocuments(piece.filter(isReadable).filter(counts))) {
      if (read.problem === undefined) totals.add(head, read.document);
      else unreadable.push({ id: head.id, problem: read.problem });
    }
    before = piece.at(-1);
    if (piece.length < PIECE_ROWS) return { days: totals.days, cut: false, unreadable };
  }
  return { days: totals.days, cut: true, unreadable };
}

/** Returns a filter with days. A filter without days covers today and the `DEFAULT_DAYS` days before it, each as a whole. */
export function withDays({ nowMs, zone }: Pick<ConsoleContext, "nowMs" | "zone">, filter: ListFilter): ListFilter {
  if (filter.fromMs !== undefined || filter.toMs !== undefined) return filter;
  const today = `${wallTimeAt(nowMs, zone).slice(0, 10)} 00:00:00`;
  const first = wallFromUtc(wallAsUtcMs(today) - DEFAULT_DAYS * DAY_MS);
  return { ...filter, fromMs: instantOf(first, zone), typed: new Map([...filter.typed, ["from", first.slice(0, 10)]]) };
}

/** How many unreadable operations the page names. */
const NAMED = 20;

function unreadablePanel(say: ConsoleContext["say"], unreadable: readonly Unreadable[]): Markup {
  const { length } = unreadable;
  const named = unreadable.slice(0, NAMED).map(({ id, problem }) => html`<div class="hint">${id}: ${problem}</div>`);
  return html`<div class="panel red" data-unreadable>${say(
    `Не читаются и не посчитаны операции: ${grouped(length)}`,
    `Operations that cannot be read and are not counted: ${grouped(length)}`,
  )}${named}</div>`;
}

function dayRow(say: ConsoleContext["say"], total: DayTotal, names: PlaceNames): Markup {
  const { day, register, usedBy, sales, saleKopecks, returns, returnKopecks, byVat } = total;
  return html`<tr><td class="number">${written(day)}</td><td>${storeText(names, usedBy)}<div class="hint">${register}</div></td><td class="number sum" data-label="${say("Продажи", "Sales")}">${roubles(saleKopecks)}<div class="hint">${counted(say, sales)}</div></td>
<td class="number sum" data-label="${say("Возвраты", "Returns")}">${roubles(returnKopecks)}<div class="hint">${counted(say, returns)}</div></td><td class="number sum" data-label="${say("Итого", "Total")}">${roubles(saleKopecks - returnKopecks)}</td>
<td class="hint">${[...byVat].toSorted(([one], [other]) => one - other).map(([code, kopecks]) => html`<div>${rateWords(say, code)}: ${roubles(kopecks)}</div>`)}</td></tr>`;
}

function counted(say: ConsoleContext["say"], receipts: number): string {
  return say(`чеков: ${grouped(receipts)}`, receipts === 1 ? "1 receipt" : `${grouped(receipts)} receipts`);
}

const BAR_WIDTH = 600;

function picture(say: ConsoleContext["say"], days: readonly DayTotal[], names: PlaceNames): Markup {
  const sums = days.map(({ saleKopecks, returnKopecks }) => Math.max(0, saleKopecks - returnKopecks));
  const most = Math.max(1, ...sums);
  const several = new Set(days.map(({ register }) => register)).size > 1;
  return html`<section class="card"><h2>${say("Выручка по дням и кассам", "Turnover by day and register")}</h2><ol class="bars">${days.map(
    ({ day, register, usedBy }, at) => {
      const kopecks = sums[at] ?? 0;
      const width = Math.round((kopecks / most) * BAR_WIDTH);
      return html`<li title="${register}"><span class="number">${written(day)}</span>${several ? html`<span class="hint">${storeText(names, usedBy)}</span>` : undefined}<svg viewBox="0 0 ${BAR_WIDTH} 20" preserveAspectRatio="none" aria-hidden="true"><rect width="${width}" height="20"></rect></svg><span class="number sum">${roubles(kopecks)}</span></li>`;
    },
  )}</ol></section>`;
}

function written(day: string): string {
  return `${day.slice(8)}.${day.slice(5, 7)}.${day.slice(0, 4)}`;
}

export const TOTALS_HEAD = [
  "day",
  "register",
  "sales",
  "sales sum",
  "returns",
  "returns sum",
  ...VAT_CODES.map((code) => `turnover ${rateOf(code)}`),
] as const;

/** Yields the rows of the export: the sums that the page shows. */
export async function* totalPieces(...asked: Parameters<typeof addUp>): AsyncIterable<Piece> {
  const { days, cut, unreadable } = await addUp(...asked);
  yield days.map(totalCells);
  if (unreadable.length > 0) yield unreadable.slice(0, NAMED).map(({ id, problem }) => [`operation ${id} is not counted: ${problem}`]);
  if (cut) yield CUT;
}

function totalCells({ day, register, sales, saleKopecks, returns, returnKopecks, byVat }: DayTotal): Cell[] {
  const sum = (kopecks: number) => Number(formatKopecks(kopecks));
  return [
    written(day),
    register,
    sales,
    sum(saleKopecks),
    returns,
    sum(returnKopecks),
    ...VAT_CODES.map((code) => sum(byVat.get(code) ?? 0)),
  ];
}

function rateWords(say: ConsoleContext["say"], code: VatCode): string {
  const label = rateOf(code);
  return say(label, code === WITHOUT_VAT ? "without VAT" : label.replace("НДС", "VAT"));
}

const WITHOUT_VAT: VatCode = 6;

function rateOf(code: VatCode): string {
  return VAT_RATES[code].label;
}
