import { hashOfEntry } from "../../../src/loyalty/ledger/entry.ts";
import { cardAlias, phoneAlias } from "../../../src/loyalty/members/identity.ts";
import { fingerprintOf, sealPersonal } from "../../../src/loyalty/members/member.ts";
import { cardTerms, nameTerms } from "../../../src/loyalty/members/search-terms.ts";
import type { Seal } from "../../../src/security/seal.ts";
import { LOYALTY_KEY, LOYALTY_STORE } from "../../support/loyalty-bench.ts";
import type { FillTable } from "./writer.ts";

/** The number of entries in the ledger of each member. */
export const ENTRIES_EACH = 10;
const DAY_MS = 86_400_000;
const LIFE_MS = 365 * DAY_MS;
/**
 * The words of names and their beginnings are about ten thousand. The terms of cards differ for each member and would grow without a limit.
 */
const MAX_TERMS = 100_000;

export interface FillOptions {
  members: number;
  /** The time of the newest entries. */
  nowMs: number;
  /** So many of the first members have an expired lot that still holds points. */
  expired?: number;
  /** Whether each entry belongs to a sale with a line. Otherwise people have granted and deducted the points. */
  hasOrders?: boolean;
}

/** The columns of the filled tables, in the order in which they are written. */
export const FILL_TABLES: readonly FillTable[] = [
  { name: "loyalty_members", texts: ["id", "app_id", "account_id", "status", "personal_sealed"], numbers: ["created_at_ms"] },
  { name: "loyalty_aliases", texts: ["app_id", "account_id", "kind", "value", "member_id"], numbers: [] },
  { name: "loyalty_terms", texts: ["app_id", "account_id", "term", "member_id"], numbers: [] },
  {
    name: "loyalty_accounts",
    texts: ["member_id", "entry_hash"],
    numbers: ["points", "debt_points", "entry_number", "visited_at_ms", "has_bought"],
  },
  {
    name: "loyalty_lots",
    texts: ["member_id", "kind"],
    numbers: ["number", "original", "remaining", "active_from_ms", "expires_at_ms"],
  },
  {
    name: "loyalty_entries",
    texts: ["member_id", "kind", "actor", "reason", "trace", "hash"],
    numbers: ["number", "points", "debt_points", "order_id", "part", "at_ms"],
  },
  { name: "loyalty_allocations", texts: ["member_id"], numbers: ["entry_number", "lot_number", "points", "place"] },
  {
    name: "loyalty_orders",
    texts: ["app_id", "account_id", "type", "document_key", "content_hash", "store_id", "member_id", "state"],
    numbers: ["id", "moment_ms", "received_at_ms", "paid_kopecks", "spent", "earned", "given_back", "clawed_back", "programme_version"],
  },
  {
    name: "loyalty_order_lines",
    texts: ["product_id"],
    numbers: [
      "order_id",
      "number",
      "quantity_millionths",
      "unit_kopecks",
      "paid_kopecks",
      "gross_kopecks",
      "points_kopecks",
      "earning_kopecks",
    ],
  },
];

type Cell = string | number | null;
export type AddRow = (table: string, row: readonly Cell[]) => void;

/** The ids rise with the number, so that the rows of one member are close together, as in a shop that has grown for years. */
function memberId(number: number): string {
  return `${number.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`;
}

export function platformId(number: number): string {
  return `c0ffee00-bbbb-4bbb-8ccc-${String(number).padStart(12, "0")}`;
}

export function phoneOf(number: number): string {
  return `+790${String(number).padStart(8, "0")}`;
}

export function cardOf(number: number): string {
  return `2${String(number).padStart(9, "0")}`;
}

/** 200 first names and 5,000 family names. */
export function nameOf(number: number): string {
  return `${word(number % 5_000, "ов")} ${word(5_000 + (Math.floor(number / 5_000) % 200), "а")}`;
}

const BEGINS = ["бар", "вед", "гор", "дол", "зав", "кар", "лод", "мор", "нер", "пол", "рад", "сав", "тур", "фед", "хар", "чер"];
const MIDDLES = ["ам", "ел", "ин", "ок", "ув", "яр", "ыч", "эт"];

function word(number: number, end: string): string {
  const [first, second, third] = [number % 16, Math.floor(number / 16) % 8, Math.floor(number / 128)];
  const rest = [...String(third)].map((digit) => MIDDLES[Number(digit) % 8]).join("");
  const text = `${BEGINS[first]}${MIDDLES[second]}${rest}${third > 79 ? "д" : ""}${end}`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The points of each entry of a member: a new lot, or the points that are taken from lots, by their numbers. */
const LEDGER: readonly (number | readonly (readonly [lot: number, points: number])[])[] = [
  48,
  48,
  48,
  48,
  [[1, 48]],
  48,
  48,
  [
    [2, 48],
    [3, 48],
  ],
  48,
  [[4, 24]],
];

/** Adds all rows of one member, with a chain of hashes as the program makes it. */
export class MemberFiller {
  readonly #seal: Seal;
  readonly #options: FillOptions;
  /** The hashes of terms. Members share those of their names. */
  readonly #terms = new Map<string, string>();
  #orderId = 0;

  constructor(seal: Seal, options: FillOptions) {
    this.#seal = seal;
    this.#options = options;
  }

  add(number: number, add: AddRow): void {
    const id = memberId(number);
    const { appId, accountId } = LOYALTY_KEY;
    const [name, phone, card] = [nameOf(number), phoneOf(number), cardOf(number)];
    const sealed = sealPersonal(id, { name, phone, card }, this.#seal);
    add("loyalty_members", [id, appId, accountId, "active", sealed, this.#options.nowMs - LIFE_MS + number]);
    const aliases = [
      { kind: "native", value: platformId(number) },
      phoneAlias(this.#seal, LOYALTY_KEY, phone),
      cardAlias(this.#seal, LOYALTY_KEY, card),
    ];
    for (const { kind, value } of aliases) add("loyalty_aliases", [appId, accountId, kind, value, id]);
    const terms = new Set([...nameTerms(name), ...cardTerms(card)].map((term) => this.#hashOf(term)));
    for (const term of terms) add("loyalty_terms", [appId, accountId, term, id]);
    this.#ledger(number, id, add);
  }

  #hashOf(term: string): string {
    const known = this.#terms.get(term);
    if (known !== undefined) return known;
    const made = fingerprintOf(this.#seal, LOYALTY_KEY, term);
    if (this.#terms.size > MAX_TERMS) this.#terms.clear();
    this.#terms.set(term, made);
    return made;
  }

  #ledger(member: number, id: string, add: AddRow): void {
    const { nowMs, expired = 0 } = this.#options;
    const lots = new Map<number, { remaining: number; points: number; fromMs: number; endMs: number }>();
    let hash = "";
    for (const [index, moved] of LEDGER.entries()) {
      const number = index + 1;
      const isOver = number === 4 && member < expired;
      const atMs = isOver ? nowMs - LIFE_MS - DAY_MS : nowMs - (ENTRIES_EACH - index) * DAY_MS;
      const taken = typeof moved === "number" ? [] : moved.map(([lotNumber, points]) => ({ lotNumber, points }));
      const lot = typeof moved === "number" ? { points: moved, fromMs: atMs, endMs: atMs + LIFE_MS } : undefined;
      hash = this.#entry(id, { number, atMs, taken, lot, before: hash }, add);
      for (const { lotNumber, points } of taken) {
        const from = lots.get(lotNumber);
        if (from !== undefined) from.remaining -= points;
      }
      if (lot !== undefined) lots.set(number, { ...lot, remaining: lot.points });
    }
    for (const [number, { points, remaining, fromMs, endMs }] of lots)
      add("loyalty_lots", [id, this.#lotKind, number, points, remaining, fromMs, endMs]);
    const points = [...lots.values()].reduce((sum, { remaining }) => sum + remaining, 0);
    add("loyalty_accounts", [id, hash, points, 0, ENTRIES_EACH, nowMs - DAY_MS, 1]);
  }

  get #lotKind(): "earned" | "granted" {
    return this.#options.hasOrders === true ? "earned" : "granted";
  }

  /** Returns the hash of the entry. */
  #entry(
    member_id: string,
    entry: {
      number: number;
      atMs: number;
      taken: readonly { lotNumber: number; points: number }[];
      lot: { points: number; fromMs: number; endMs: number } | undefined;
      before: string;
    },
    add: AddRow,
  ): string {
    const { number, atMs, taken, lot, before } = entry;
    const hasOrders = this.#options.hasOrders === true;
    const isCredit = lot !== undefined;
    const points = isCredit ? lot.points : 0 - taken.reduce((sum, each) => sum + each.points, 0);
    const kind = hasOrders ? (isCredit ? "EARN" : "SPEND") : isCredit ? "GRANT" : "ADJUST_DOWN";
    const [actor, reason, trace] = hasOrders ? ["till", null, isCredit ? "[]" : null] : ["operator", "a reason", null];
    const order_id = hasOrders ? this.#order(member_id, atMs, points, add) : null;
    const row = { member_id, number, kind, points, debt_points: 0, order_id, part: 1, reverses: null, at_ms: atMs, actor, reason, trace };
    const made = isCredit ? { kind: this.#lotKind, points, activeFromMs: lot.fromMs, expiresAtMs: lot.endMs } : undefined;
    const hash = hashOfEntry(before, { row, allocations: taken, ...(made === undefined ? {} : { lot: made }) });
    add("loyalty_entries", [member_id, kind, actor, reason, trace, hash, number, points, 0, order_id, 1, atMs]);
    for (const [index, each] of taken.entries()) add("loyalty_allocations", [member_id, number, each.lotNumber, each.points, index + 1]);
    return hash;
  }

  #order(memberId: string, atMs: number, points: number, add: AddRow): number {
    this.#orderId += 1;
    const id = this.#orderId;
    const document = `d0c00000-0000-4000-8000-${String(id).padStart(12, "0")}`;
    const { appId, accountId } = LOYALTY_KEY;
    const [spent, earned, paid] = [Math.max(0, 0 - points), Math.max(0, points), 96_000];
    const texts = [appId, accountId, "sale", document, document, LOYALTY_STORE, memberId, "booked"];
    add("loyalty_orders", [...texts, id, atMs, atMs, paid, spent, earned, 0, 0, 1]);
    add("loyalty_order_lines", ["goods", id, 1, 1_000_000, paid, paid, paid, 0, paid]);
    return id;
  }
}
