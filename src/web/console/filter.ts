import type { EntryTerm } from "../../journal/finding/search-queries.ts";
import { parseDecimal } from "../../kernel/decimal.ts";
import { instantOf } from "../../kernel/moment.ts";
import { kopecksFromRoubles } from "../../kernel/money.ts";

export interface ListFilter {
  /** The typed texts, for the form and for links to further pages of the list. */
  typed: ReadonlyMap<FilterName, string>;
  q?: string;
  accountId?: string;
  storeId?: string;
  state?: string;
  fromMs?: number;
  toMs?: number;
  /** Identifies the last row of the previous page. */
  page?: string;
}

const FILTER_NAMES = ["q", "account", "store", "state", "from", "to", "page"] as const;
export type FilterName = (typeof FILTER_NAMES)[number];

/** The longest text of a field. A longer text is cut. */
const MAX_LENGTH = 200;
const DAY_MS = 24 * 3_600_000;

/**
 * Reads the query. A text that is no day does not filter, but stays in its field. A day in `q` is no text to search for: it replaces an
 * absent `from` and an absent `to`.
 */
export function filterOf(query: ReadonlyMap<string, string>, zone: string): ListFilter {
  const typed = new Map<FilterName, string>();
  for (const name of FILTER_NAMES) {
    const text = query.get(name)?.trim().slice(0, MAX_LENGTH) ?? "";
    if (text !== "") typed.set(name, text);
  }
  const [q, accountId, storeId, state, page] = [
    typed.get("q"),
    typed.get("account"),
    typed.get("store"),
    typed.get("state"),
    typed.get("page"),
  ];
  const day = q === undefined ? undefined : dayIn(q);
  const from = dayIn(typed.get("from")) ?? day;
  const to = dayIn(typed.get("to")) ?? day;
  return {
    typed,
    ...(q === undefined || day !== undefined ? {} : { q }),
    ...(accountId === undefined ? {} : { accountId }),
    ...(storeId === undefined ? {} : { storeId }),
    ...(state === undefined ? {} : { state }),
    ...(page === undefined ? {} : { page }),
    ...(from === undefined ? {} : { fromMs: instantOf(`${from} 00:00:00`, zone) }),
    ...(to === undefined ? {} : { toMs: instantOf(`${nextDay(to)} 00:00:00`, zone) }),
  };
}

/**
 * Returns the filter with the account of a typed name: the whole name, or a part that only one account's name has. Lists show names, so
 * people type names. Capital and small letters are the same, also in an id. A text that names no account, or several accounts, counts as
 * an id.
 */
export function withNamedAccount(filter: ListFilter, accounts: readonly { accountId: string; accountName: string }[]): ListFilter {
  const typed = filter.accountId?.toLowerCase();
  if (typed === undefined || accounts.some(({ accountId }) => accountId === filter.accountId)) return filter;
  const known = accounts.find((account) => account.accountId.toLowerCase() === typed);
  if (known !== undefined) return { ...filter, accountId: known.accountId };
  const idsOf = (isMeant: (name: string) => boolean) => [
    ...new Set(accounts.filter(({ accountName }) => isMeant(accountName.toLowerCase())).map(({ accountId }) => accountId)),
  ];
  const [exact, anotherExact] = idsOf((name) => name === typed);
  const [part, anotherPart] = idsOf((name) => name.includes(typed));
  const accountId = anotherExact === undefined ? (exact ?? (anotherPart === undefined ? part : undefined)) : undefined;
  return accountId === undefined ? filter : { ...filter, accountId };
}

/** Returns the day as `2026-11-29`, from this form or from `29.11.2026`. Undefined: not a day. */
function dayIn(text: string | undefined): string | undefined {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text ?? "") ?? [];
  const [, d, m, y] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text ?? "") ?? [];
  const written = year === undefined ? `${y}-${m?.padStart(2, "0")}-${d?.padStart(2, "0")}` : `${year}-${month}-${day}`;
  const atMs = Date.parse(`${written}T00:00:00Z`);
  return Number.isNaN(atMs) || !new Date(atMs).toISOString().startsWith(written) ? undefined : written;
}

function nextDay(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);
}

/** How many digits the platform writes in a document's number at the till. */
const NAME_DIGITS = 5;
const MAX_DIGITS = 10;

/** Returns the possible meanings of a typed text: a document's number at the till or in the drive, a sum in roubles, an id. */
export function termOf(text: string): EntryTerm {
  const isNumber = /^\d+$/.test(text) && text.length <= MAX_DIGITS;
  const sum = parseDecimal(text.replaceAll(/[\s\u00a0₽]/g, "").replace(",", "."));
  const sumKopecks = sum === undefined ? undefined : kopecksFromRoubles(sum);
  return {
    names: isNumber ? [...new Set([text, text.replace(/^0+(?=\d)/, ""), text.padStart(NAME_DIGITS, "0")])] : [text],
    documentId: text,
    ...(isNumber ? { documentNumber: Number(text) } : {}),
    ...(sumKopecks === undefined || sumKopecks <= 0 ? {} : { sumKopecks }),
  };
}

/** Returns the query of a list with changed fields, with its question mark. Empty: no field. Omits `page` unless `changes` contains it. */
export function queryWith({ typed }: ListFilter, changes: Partial<Record<FilterName, string>>): string {
  const all = new URLSearchParams();
  for (const name of FILTER_NAMES) {
    const value = changes[name] ?? (name === "page" ? undefined : typed.get(name));
    if (value !== undefined && value !== "") all.set(name, value);
  }
  const text = all.toString();
  return text === "" ? "" : `?${text}`;
}
