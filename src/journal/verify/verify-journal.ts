import type { Store } from "../../store/database.ts";
import type { EntryRow } from "../../store/tables.ts";
import { readingsAhead } from "../drives/drive-reading-queries.ts";
import type { SizedRow } from "../reading/steps.ts";
import { type AnswerCheck, checkEntry, type EntryRows } from "./check-entry.ts";
import type { Finding } from "./finding.ts";
import {
  answersIn,
  type Db,
  type DocumentCount,
  documentsAfter,
  entriesIn,
  entriesOfKey,
  entryAlone,
  type IdRange,
  type KeyCount,
  keysAfter,
  linksOf,
  movesIn,
  movesOfDocument,
  sizesAfter,
} from "./verify-queries.ts";

/** The largest number of entries that are read together. 500 small entries with their answers take about 12 MB of memory. */
const ENTRIES_AT_ONCE = 500;
/**
 * The most bytes of operations and documents that are read together, unless one entry has more. A sale of 1,000 positions may have half a
 * megabyte, and 500 such sales would take the memory of a small machine.
 */
const BYTES_AT_ONCE = 2_000_000;
const KEYS_AT_ONCE = 5_000;
/** The largest number of findings. More would not help a person. */
const MAX_FINDINGS = 1_000;

interface Verification {
  entries: number;
  moves: number;
  answers: number;
  /** Documents of drives that entries claim. */
  documents: number;
  findings: Finding[];
  /** True when the check ended early (too many findings, or an aborted signal), or when findings were left out. */
  isCut: boolean;
}

type VerifiedStore = Pick<Store, "read" | "commit" | "kind">;

interface Run {
  store: VerifiedStore;
  answerCheck: AnswerCheck;
  found: Verification;
  mayGoOn(): boolean;
}

/**
 * Checks the whole journal. Returns at most `MAX_FINDINGS` findings: rows that contradict other rows, and rows that are missing, surplus,
 * repeated or unreadable. A server may move an entry during the check. So an entry that seems wrong is checked again in a transaction that
 * keeps it from moving, and only the second check counts. The journal is read in pages, so memory does not grow with it.
 */
export async function verifyJournal(
  store: VerifiedStore,
  { answerCheck, signal }: { answerCheck: AnswerCheck; signal?: AbortSignal },
): Promise<Verification> {
  const found: Verification = { entries: 0, moves: 0, answers: 0, documents: 0, findings: [], isCut: false };
  const mayGoOn = () => {
    found.isCut = signal?.aborted === true || found.findings.length >= MAX_FINDINGS;
    return !found.isCut;
  };
  const run: Run = { store, answerCheck, found, mayGoOn };
  await verifyEntries(run);
  if (mayGoOn()) await verifyKeys(run);
  if (mayGoOn()) await verifyDocuments(run);
  if (mayGoOn()) await verifyReadings(run);
  if (found.findings.length > MAX_FINDINGS) found.isCut = true;
  found.findings = found.findings.slice(0, MAX_FINDINGS);
  return found;
}

async function verifyEntries(run: Run): Promise<void> {
  const { store, answerCheck, found, mayGoOn } = run;
  let after: number | undefined = Number.MIN_SAFE_INTEGER;
  while (after !== undefined && mayGoOn()) {
    const from: number = after;
    const page = await store.read((db) => readPage(db, from));
    found.entries += page.whole.length;
    found.moves += page.moves;
    found.answers += page.answers;
    const suspects = new Set(page.strays);
    for (const rows of page.whole) if (checkEntry(rows, answerCheck).length > 0) suspects.add(rows.entry.id);
    for (const id of suspects) {
      found.findings.push(...(await checkAgain(run, id)));
      if (!mayGoOn()) break;
    }
    after = page.upTo;
  }
}

interface Page {
  whole: EntryRows[];
  moves: number;
  answers: number;
  /** Ids that moves or answers name, although no entry has these ids. */
  strays: number[];
  /** The last id of the page. Undefined: this is the last page of the journal. */
  upTo: number | undefined;
}

async function readPage(db: Db, after: number): Promise<Page> {
  const sizes = await sizesAfter(db, after, ENTRIES_AT_ONCE);
  const together = countTogether(sizes);
  const last = sizes[together - 1]?.id;
  const entries = last === undefined ? [] : await entriesIn(db, { after, upTo: last });
  const isLast = last === undefined || (together === sizes.length && sizes.length < ENTRIES_AT_ONCE);
  return withRows(db, entries, isLast ? { after } : { after, upTo: last });
}

/** Returns how many of the next entries are read together. The first entry is always read, however large it is. */
function countTogether(sizes: readonly SizedRow[]): number {
  let bytes = 0;
  const over = sizes.findIndex((size, nth) => {
    bytes += size.bytes;
    return nth > 0 && bytes > BYTES_AT_ONCE;
  });
  return over === -1 ? sizes.length : over;
}

async function withRows(db: Db, entries: readonly EntryRow[], range: IdRange): Promise<Page> {
  const moves = await movesIn(db, range);
  const answers = await answersIn(db, range);
  const links = await linksOf(db, entries.flatMap(openedBy));
  const movesOf = Map.groupBy(moves, ({ entry_id }) => entry_id);
  const answersOf = Map.groupBy(answers, ({ entry_id }) => entry_id);
  const ids = new Set(entries.map(({ id }) => id));
  return {
    whole: entries.map((entry) => ({ entry, moves: movesOf.get(entry.id) ?? [], answers: answersOf.get(entry.id) ?? [], links })),
    moves: moves.length,
    answers: answers.length,
    strays: [...new Set([...movesOf.keys(), ...answersOf.keys()])].filter((id) => !ids.has(id)),
    upTo: range.upTo,
  };
}

function openedBy({ operation, drive_number, shift_number }: EntryRow): { driveNumber: string; shiftNumber: number }[] {
  if (operation !== "open-shift" || drive_number === null || shift_number === null) return [];
  return [{ driveNumber: drive_number, shiftNumber: shift_number }];
}

/**
 * Checks one entry in a transaction that keeps other processes from moving it. If there is no such entry, its moves and answers are
 * reported as surplus.
 */
function checkAgain({ store, answerCheck }: Run, id: number): Promise<Finding[]> {
  return store.commit(async (tx) => {
    // Only PostgreSQL needs the lock: in SQLite a transaction keeps all other transactions from writing.
    const entry = await entryAlone(tx, id, store.kind === "postgres");
    const page = await withRows(tx, entry === undefined ? [] : [entry], { after: id - 1, upTo: id });
    const [rows] = page.whole;
    if (rows !== undefined) return checkEntry(rows, answerCheck);
    const place = { row: `${id}`, entryId: id, fault: { code: "surplus" } } as const;
    return [
      ...(page.moves > 0 ? [{ table: "moves", ...place } as const] : []),
      ...(page.answers > 0 ? [{ table: "answers", ...place } as const] : []),
    ];
  });
}

async function verifyKeys({ store, found, mayGoOn }: Run): Promise<void> {
  let last: KeyCount | undefined;
  do {
    const after = last;
    const page: KeyCount[] = await store.read((db) => keysAfter(db, after, KEYS_AT_ONCE));
    for (const key of page.filter(({ times }) => times > 1)) {
      const entries = await store.read((db) => entriesOfKey(db, key));
      const row = [key.app_id, key.account_id, key.operation, key.document_id].join("/");
      if (entries.length > 1) found.findings.push({ table: "entries", row, fault: { code: "repeated", entries } });
    }
    last = page.length < KEYS_AT_ONCE ? undefined : page.at(-1);
  } while (last !== undefined && mayGoOn());
}

async function verifyDocuments({ store, found, mayGoOn }: Run): Promise<void> {
  let last: DocumentCount | undefined;
  do {
    const after = last;
    const page: DocumentCount[] = await store.read((db) => documentsAfter(db, after, KEYS_AT_ONCE));
    found.documents += page.length;
    for (const document of page.filter(({ times }) => times > 1)) {
      const claims = await store.read((db) => movesOfDocument(db, document));
      const entries = [...new Set(claims.map(({ entry_id }) => entry_id))];
      const makers = claims.filter(({ reasons }) => !tookReport(reasons));
      const row = `${document.drive_number}/${document.document_number}`;
      // Two moves must not both have made the document, and one entry must not name it in two moves. Other entries may have taken the
      // report of the shift that they opened or closed.
      if (makers.length > 1 || claims.length > entries.length)
        found.findings.push({ table: "moves", row, fault: { code: "repeated", entries } });
    }
    last = page.length < KEYS_AT_ONCE ? undefined : page.at(-1);
  } while (last !== undefined && mayGoOn());
}

/**
 * Whether a move only took a report that the drive already had. This happens, for example, when the platform opens a shift that the server
 * itself or the device has already opened. `reasons`: the move's reasons as stored. Their text is searched without parsing it, because it
 * may be no valid JSON, which is a separate finding.
 */
function tookReport(reasons: string | null): boolean {
  return reasons !== null && /"code":"(shift-adopted|report-found)"/.test(reasons);
}

async function verifyReadings({ store, found }: Run): Promise<void> {
  for (const { drive_number: row, entry_id } of await store.read(readingsAhead))
    found.findings.push({ table: "drive_readings", row, entryId: entry_id, fault: { code: "missing" } });
}
