import type { EntrySearch } from "../../journal/finding/search-queries.ts";
import type { EntryHead } from "../../journal/reading/head.ts";
import { isReadable, type Listed, type UnreadableEntry } from "../../journal/reading/unreadable.ts";
import { ENTRY_STATES, type EntryState } from "../../journal/states.ts";
import { formatKopecks } from "../../kernel/money.ts";
import { dayAndHour, dayAndHourAt, roubles } from "../amounts.ts";
import { type Content, html, type Markup } from "../html.ts";
import { operationWords, STATE_COLOURS, stateWords } from "../words/operation-words.ts";
import type { Cell } from "./export/csv.ts";
import { type ListFilter, termOf } from "./filter.ts";
import type { ConsoleContext, ConsoleView } from "./layout.ts";
import { listPage } from "./list-page.ts";
import { type Place, type PlaceNames, storeText } from "./places.ts";
import type { ConsoleServices } from "./services.ts";

export const PAGE_ROWS = 50;

export async function operationsPage(services: ConsoleServices, context: ConsoleContext, filter: ListFilter): Promise<ConsoleView> {
  const { say } = context;
  const found = await services.journal.heads.search({ ...searchOf(filter), limit: PAGE_ROWS + 1 });
  const shown = found.slice(0, PAGE_ROWS);
  const names = await services.namesOf(shown.map(placeOf));
  const title = say("Операции", "Operations");
  const last = shown.at(-1);
  const list = listPage({
    say,
    address: "/console/operations",
    filter,
    title,
    hint: say(
      "Номер чека на кассе, номер ФД, сумма, идентификатор или день: 31, 204,80, 29.11.2026",
      "Number at the till, number in the drive, sum, id or day: 31, 204.80, 2026-11-29",
    ),
    fields: ["q", "from", "to", "account", "store"],
    states: ENTRY_STATES.map((state) => ({ value: state, label: stateWords(say, state) })),
    head: [
      say("Время", "Time"),
      say("Операция", "Operation"),
      { sum: say("Сумма", "Sum") },
      say("Состояние", "State"),
      say("ФД", "Document"),
      say("Точка продаж", "Point of sale"),
    ],
    rows: shown.map((entry) => operationRow(context, entry, names)),
    ...(found.length > PAGE_ROWS && last !== undefined ? { next: pageOf(last) } : {}),
  });
  return { page: "operations", title, content: html`${list}${elsewhere(context, filter)}` };
}

/** Draws links that search for the same text among payments and members, because the text may be a bank's number or a phone. */
function elsewhere({ say }: ConsoleContext, { q }: ListFilter): Content {
  if (q === undefined) return undefined;
  const query = `?q=${encodeURIComponent(q)}`;
  return html`<p class="soft">${say("Искать то же:", "Search for the same:")} <a href="/console/payments${query}">${say("среди оплат", "among payments")}</a>, <a href="/console/members${query}">${say("среди участников", "among members")}</a></p>`;
}

function pageOf({ acceptedAtMs, id }: Pick<EntryHead, "acceptedAtMs" | "id">): string {
  return `${acceptedAtMs}-${id}`;
}

/** Returns the journal search of a filter. Ignores an invalid `state` or `page`. */
export function searchOf({ q, accountId, storeId, state, fromMs, toMs, page }: ListFilter): Omit<EntrySearch, "limit"> {
  const [, acceptedAtMs, id] = /^(\d{1,15})-(\d{1,15})$/.exec(page ?? "") ?? [];
  const known: EntryState | undefined = ENTRY_STATES.find((one) => one === state);
  return {
    ...(q === undefined ? {} : { term: termOf(q) }),
    ...(accountId === undefined ? {} : { accountId }),
    ...(storeId === undefined ? {} : { storeId }),
    ...(known === undefined ? {} : { state: known }),
    ...(fromMs === undefined ? {} : { fromMs }),
    ...(toMs === undefined ? {} : { toMs }),
    ...(acceptedAtMs === undefined ? {} : { before: { acceptedAtMs: Number(acceptedAtMs), id: Number(id) } }),
  };
}

/** Returns the point of sale of an operation. */
export function placeOf({ key, storeId }: Pick<UnreadableEntry, "key" | "storeId">): Required<Place> {
  return { appId: key.appId, accountId: key.accountId, storeId };
}

export function operationRow(context: ConsoleContext, entry: Listed<EntryHead>, names: PlaceNames): Markup {
  if (!isReadable(entry)) return unreadableRow(context, entry, names);
  const { say, zone } = context;
  const { id, key, facts, state, name, sumKopecks, register, acceptedAtMs } = entry;
  return html`<tr data-operation="${key.documentId}" data-state="${state}">
<td class="number">${facts === undefined ? dayAndHourAt(acceptedAtMs, zone) : dayAndHour(facts.time)}</td>
<td><a href="/console/operations/${id}">${operationWords(say, key.operation)} ${name}</a></td>
<td class="number sum">${sumKopecks === undefined ? undefined : roubles(sumKopecks)}</td>
<td><span class="tag ${STATE_COLOURS[state]}">${stateWords(say, state)}</span></td>
<td class="number" data-label="${say("ФД", "Document")}">${facts?.kind === "fiscal" ? facts.documentNumber : undefined}</td>
<td>${storeText(names, placeOf(entry))}<div class="hint">${register}</div></td>
</tr>`;
}

function unreadableRow({ say, zone }: ConsoleContext, entry: UnreadableEntry, names: PlaceNames): Markup {
  const { id, key, register, acceptedAtMs, problem } = entry;
  return html`<tr data-operation="${key.documentId}" data-unreadable><td class="number">${dayAndHourAt(acceptedAtMs, zone)}</td>
<td colspan="4">${say("Запись", "Entry")} ${id} <span class="tag red">${say("не читается", "cannot be read")}</span><div class="hint">${problem}</div></td>
<td>${storeText(names, placeOf(entry))}<div class="hint">${register}</div></td></tr>`;
}

export const OPERATIONS_HEAD = [
  "id",
  "accepted",
  "operation",
  "number",
  "sum",
  "state",
  "document number",
  "fiscal sign",
  "drive",
  "shift",
  "made",
  "account",
  "store",
  "register",
  "document id",
] as const;

/**
 * Returns the cells of an operation for the export. Column and state names are the same in both languages, because programs read the file.
 */
export function operationCells(entry: Listed<EntryHead>, zone: string): Cell[] {
  if (!isReadable(entry)) {
    const { id, key, register, acceptedAtMs, storeId, problem } = entry;
    const beforeState = [id, dayAndHourAt(acceptedAtMs, zone), "", "", ""];
    return [...beforeState, `unreadable: ${problem}`, "", "", "", "", "", key.accountId, storeId, register, key.documentId];
  }
  const { id, key, facts, state, name = "", sumKopecks, register, acceptedAtMs, storeId } = entry;
  const made = facts?.kind === "fiscal" ? facts : undefined;
  return [
    id,
    dayAndHourAt(acceptedAtMs, zone),
    key.operation,
    name,
    sumKopecks === undefined ? undefined : Number(formatKopecks(sumKopecks)),
    state,
    made?.documentNumber,
    made?.fiscalSign,
    facts?.identity.driveNumber,
    facts?.shiftNumber,
    facts === undefined ? undefined : dayAndHour(facts.time),
    key.accountId,
    storeId,
    register,
    key.documentId,
  ];
}
