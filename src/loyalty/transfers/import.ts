import { createHash } from "node:crypto";
import { actorNamed, writeAudit } from "../../accounts/audit.ts";
import type { InstallationKey } from "../../accounts/installation.ts";
import { instantOf } from "../../kernel/moment.ts";
import { present } from "../../kernel/present.ts";
import { AccountBook } from "../ledger/account-book.ts";
import { newLot, repay } from "../ledger/bookings.ts";
import type { Db, Tx } from "../ledger/ledger-queries.ts";
import { cardAlias, findMember, phoneAlias } from "../members/identity.ts";
import { fingerprintOf, personalOf } from "../members/member.ts";
import { memberById, memberIdOf } from "../members/member-queries.ts";
import type { Members } from "../members/members.ts";
import { normalCard } from "../members/search-terms.ts";
import { lockedMember } from "../members/standing.ts";
import { insertOrder } from "../orders/order-queries.ts";
import { reviewTier } from "../orders/tier.ts";
import { normalPhone } from "../phone.ts";
import { endOfDayAfterMs } from "../points/lot-dates.ts";
import { isExpired } from "../points/lots.ts";
import type { Current, Programmes } from "../programme-versions/programmes.ts";
import type { LoyaltyServices } from "../services.ts";
import { importedKeys, insertImport, setImportMember } from "./import-queries.ts";
import { type ImportRow, readImportRow } from "./import-schema.ts";

/** The largest number of rows in one transaction. A running server waits at most for one such transaction. */
const ROWS_AT_ONCE = 100;
/** The largest number of named bad rows. Further bad rows are only counted. */
const MAX_NAMED = 100;

interface BadRow {
  line: number;
  /** Why the row is bad, in English. */
  why: string;
}

interface ImportCount {
  rows: number;
  known: number;
  members: number;
  points: number;
}

export type ImportResult = { kind: "refused"; bad: readonly BadRow[]; badRows: number } | ({ kind: "imported" | "checked" } & ImportCount);

type ImportServices = Pick<LoyaltyServices, "store" | "clock" | "seal" | "zoneOf"> & { programmes: Programmes; members: Members };

interface Numbered {
  line: number;
  row: ImportRow;
}

/**
 * Imports members and opening balances. A row whose key was imported before changes nothing. All rows are checked before the first booking,
 * so nothing of a bad file is booked. A repeated run continues an interrupted import. `dry`: only checks.
 */
export async function importMembers(
  services: ImportServices,
  key: InstallationKey,
  lines: readonly string[],
  { dry, actor }: { dry: boolean; actor: string },
): Promise<ImportResult> {
  const { rows, bad } = readRows(lines);
  const previewed = await preview(services, key, rows, bad);
  if (bad.length > 0) {
    const inOrder = bad.sort((a, b) => a.line - b.line);
    return { kind: "refused", bad: inOrder.slice(0, MAX_NAMED), badRows: bad.length };
  }
  if (dry) return { kind: "checked", rows: rows.length, ...previewed };
  const count: ImportCount = { rows: rows.length, known: 0, members: 0, points: 0 };
  const zone = await services.zoneOf(key, "");
  await services.programmes.prepare(key);
  const fresh = rows.length - previewed.known;
  const change = { act: "import", subject: "members", after: `${fresh} rows, ${previewed.points} points` } as const;
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    const part = rows.slice(from, from + ROWS_AT_ONCE);
    const booked = await services.store.commit(async (tx) => {
      const current = await services.programmes.current(tx, key);
      if (from === 0 && fresh > 0) await writeAudit(tx, { atMs: services.clock.nowMs(), key, actor: actorNamed(actor) }, change);
      const outcomes: BookedRow[] = [];
      for (const { row } of part) outcomes.push(await bookRow(services, tx, key, { row, current, zone, actor }));
      return outcomes;
    });
    for (const outcome of booked) {
      if (outcome.kind === "known") count.known += 1;
      else {
        count.points += outcome.points;
        if (outcome.isNew) count.members += 1;
      }
    }
  }
  return { kind: "imported", ...count };
}

function readRows(lines: readonly string[]): { rows: Numbered[]; bad: BadRow[] } {
  const rows: Numbered[] = [];
  const bad: BadRow[] = [];
  const lineOfKey = new Map<string, number>();
  const phoneOfCard = new Map<string, string>();
  for (const [index, text] of lines.entries()) {
    if (text.trim() === "") continue;
    const line = index + 1;
    const reading = readImportRow(text);
    const why = reading.kind === "bad" ? reading.why : whyWrong(reading.row, lineOfKey, phoneOfCard);
    if (why !== undefined) bad.push({ line, why });
    if (reading.kind === "bad") continue;
    if (!lineOfKey.has(reading.row.key)) lineOfKey.set(reading.row.key, line);
    if (why === undefined) rows.push({ line, row: reading.row });
  }
  return { rows, bad };
}

/** `phoneOfCard`: the phone of each card in this file. */
function whyWrong({ key, phone, card }: ImportRow, lineOfKey: Map<string, number>, phoneOfCard: Map<string, string>): string | undefined {
  const earlier = lineOfKey.get(key);
  if (earlier !== undefined) return `has the key of line ${earlier}`;
  const number = phone === undefined || phone === "" ? undefined : normalPhone(phone);
  if (phone !== undefined && phone !== "" && number === undefined) return "phone is no number of a phone";
  if (card === undefined || normalCard(card) === "" || number === undefined) return undefined;
  const other = phoneOfCard.get(normalCard(card));
  phoneOfCard.set(normalCard(card), other ?? number);
  return other === undefined || other === number ? undefined : "card belongs to another phone in this file";
}

/**
 * Counts what an import would do. Adds rows to `bad` when phone and card belong to two members, or when the card's member has another
 * phone.
 */
async function preview(
  { store, seal }: ImportServices,
  key: InstallationKey,
  rows: readonly Numbered[],
  bad: BadRow[],
): Promise<Omit<ImportCount, "rows">> {
  const count = { known: 0, members: 0, points: 0 };
  const made = new Set<string>();
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    const part = rows.slice(from, from + ROWS_AT_ONCE);
    await store.read(async (db) => {
      const known = await importedKeys(
        db,
        key,
        part.map(({ row }) => storedKeyOf(seal, key, row)),
      );
      for (const { line, row } of part) {
        if (known.has(storedKeyOf(seal, key, row))) {
          count.known += 1;
          continue;
        }
        const owners = await ownersOf(db, seal, key, row);
        if (owners.size > 1) bad.push({ line, why: "phone and card belong to two members" });
        else if (await isCardOfAnotherPhone(db, seal, key, row)) bad.push({ line, why: "card belongs to a member with another phone" });
        count.points += row.points;
        if (owners.size > 0 || made.has(personOf(row))) continue;
        made.add(personOf(row));
        count.members += 1;
      }
    });
  }
  return count;
}

async function ownersOf(db: Db, seal: ImportServices["seal"], key: InstallationKey, { phone, card }: ImportRow): Promise<Set<string>> {
  const number = phone === undefined ? undefined : normalPhone(phone);
  const aliases = [
    ...(number === undefined ? [] : [phoneAlias(seal, key, number)]),
    ...(card === undefined || normalCard(card) === "" ? [] : [cardAlias(seal, key, card)]),
  ];
  const owners = new Set<string>();
  for (const alias of aliases) {
    const id = await memberIdOf(db, key, alias);
    if (id !== undefined) owners.add(id);
  }
  return owners;
}

/**
 * Whether the row must be refused: no member has the row's phone, and a member with another phone has the row's card. This member may have
 * shown another person's card at a till before the import, and would get the points of the row, which belong to the card's owner.
 */
async function isCardOfAnotherPhone(
  db: Db,
  seal: ImportServices["seal"],
  key: InstallationKey,
  { phone, card }: ImportRow,
): Promise<boolean> {
  const number = phone === undefined ? undefined : normalPhone(phone);
  if (number === undefined || card === undefined || normalCard(card) === "") return false;
  if ((await findMember(db, seal, key, { phone: number })) !== undefined) return false;
  const holder = await findMember(db, seal, key, { card });
  const own = holder === undefined ? undefined : personalOf(holder, seal)?.phone;
  return own !== undefined && normalPhone(own) !== undefined;
}

/**
 * Returns a key for the person of a row. Rows with the same phone are one person. Without a phone, rows with the same card are one person.
 * Any other row is a separate person.
 */
function personOf({ key, phone, card }: ImportRow): string {
  const number = phone === undefined ? undefined : normalPhone(phone);
  if (number !== undefined) return `phone:${number}`;
  return card === undefined || normalCard(card) === "" ? `key:${key}` : `card:${normalCard(card)}`;
}

type BookedRow = { kind: "known" } | { kind: "booked"; isNew: boolean; points: number };

interface RowBooking {
  row: ImportRow;
  current: Current;
  zone: string;
  actor: string;
}

async function bookRow(services: ImportServices, tx: Tx, key: InstallationKey, booking: RowBooking): Promise<BookedRow> {
  const { members, clock, seal } = services;
  const { row, current, zone, actor } = booking;
  const { programme, version } = current;
  const nowMs = clock.nowMs();
  const rowKey = storedKeyOf(seal, key, row);
  if (!(await insertImport(tx, key, { rowKey, atMs: nowMs }))) return { kind: "known" };
  const { name, birthDate } = row;
  const filled = present({ phone: filledIn(row.phone), email: filledIn(row.email), card: filledIn(row.card) });
  const identity = present({ phone: filled.phone, card: filled.card });
  const enrolled = await members.enrolIn(tx, key, { identity, personal: { name, ...filled, ...present({ birthDate }) }, isNative: true });
  const found = await memberById(tx, key, enrolled.memberId);
  const memberId = (found === undefined ? undefined : await lockedMember(tx, key, found))?.id ?? enrolled.memberId;
  await setImportMember(tx, key, rowKey, memberId);
  const book = await AccountBook.open(tx, memberId, nowMs);
  if (row.points > 0) {
    const given = newLot({ programme, nowMs, zone }, "migrated", row.points);
    const lot = { ...given, ...present({ activeFromMs: beginOf(row.activeFrom, zone), expiresAtMs: endOf(row.expiresAt, zone) }) };
    const lotNumber = book.add({ kind: "MIGRATE", points: row.points, lot, actor, reason: "import" });
    // Under rolling expiry a visit prolongs every lot that still has points (lotsInForce). So expired imported points are taken out in the
    // same transaction: otherwise the next visit would revive them.
    if (isExpired(lot, nowMs)) book.add({ kind: "EXPIRE", points: -row.points, allocations: [{ lotNumber, points: row.points }], actor });
    repay({ book, programme, current, nowMs, zone, actor });
  }
  const spent = row.spentKopecks ?? 0;
  if (spent > 0) {
    await insertOrder(tx, spentBefore(key, { memberId, nowMs, spent, version, rowKey }));
    book.change({ has_bought: 1 });
  }
  await reviewTier(tx, book, { programme, nowMs, zone });
  await book.close();
  return { kind: "booked", isNew: enrolled.kind === "made", points: row.points };
}

/** Returns an order for the sum that the member spent before the import. The order has the present time and counts towards the tier. */
function spentBefore(
  { appId, accountId }: InstallationKey,
  before: { memberId: string; nowMs: number; spent: number; version: number; rowKey: string },
) {
  const { memberId, nowMs, spent, version, rowKey } = before;
  return {
    app_id: appId,
    account_id: accountId,
    type: "import",
    document_key: rowKey,
    content_hash: createHash("sha256")
      .update(JSON.stringify([rowKey, spent]))
      .digest("hex"),
    store_id: "",
    member_id: memberId,
    moment_ms: nowMs,
    received_at_ms: nowMs,
    state: "booked",
    paid_kopecks: spent,
    spent: 0,
    earned: 0,
    given_back: 0,
    clawed_back: 0,
    sale_key: null,
    sale_id: null,
    programme_version: version,
    anomalies: null,
    content: null,
  };
}

/**
 * Returns the stored key of a row: hashed, because other programmes use phones and cards as keys, and these are never stored in clear text.
 */
function storedKeyOf(seal: ImportServices["seal"], key: InstallationKey, row: ImportRow): string {
  return fingerprintOf(seal, key, `import:${row.key}`);
}

function beginOf(day: string | undefined, zone: string): number | undefined {
  return day === undefined ? undefined : instantOf(`${day} 00:00:00`, zone);
}

function endOf(day: string | undefined, zone: string): number | undefined {
  return day === undefined ? undefined : endOfDayAfterMs(instantOf(`${day} 00:00:00`, zone), 0, zone);
}

function filledIn(text: string | undefined): string | undefined {
  return text === undefined || text === "" ? undefined : text;
}
