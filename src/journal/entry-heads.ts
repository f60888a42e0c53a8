import type { RegisterDocument } from "../model/document.ts";
import type { Store } from "../store/database.ts";
import { lastMove } from "./drives/drive-use-queries.ts";
import type { Entry } from "./entry.ts";
import { listedRows, searchedRows } from "./finding/found-entries.ts";
import type { EntrySearch } from "./finding/search-queries.ts";
import { countUnfinished, doubtedRegisters, type EntryFilter, sentSizes, sentToDriveSizes, unfinishedSizes } from "./queries.ts";
import type { EntryHead } from "./reading/head.ts";
import { documentRows, documentSizes, headRows, wholeRows } from "./reading/step-queries.ts";
import { HEAD_STEP, inSteps, type SizedRow, WHOLE_STEP } from "./reading/steps.ts";
import { isReadable, type Listed, listedOf, problemOf, type UnreadableEntry } from "./reading/unreadable.ts";
import { checkpointOf, documentOf, entryOf, headOf } from "./rows.ts";

type Reads = Pick<Store, "read">;
type Db = Parameters<Parameters<Reads["read"]>[0]>[0];
type UnreadableTold = (entry: UnreadableEntry) => void;

/** Reads whole entries, in the order of the rows. Other work runs between the steps (`WHOLE_STEP`). An entry may move meanwhile. */
export async function wholeEntries(store: Reads, rows: readonly SizedRow[]): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const ids of inSteps(rows, WHOLE_STEP)) {
    for (const row of await store.read((db) => wholeRows(db, ids))) entries.push(entryOf(row));
  }
  return entries;
}

/** Asks for rows and reads them as `wholeEntries` does. */
export async function entriesAsked(store: Reads, ask: (db: Db) => Promise<SizedRow[]>): Promise<Entry[]> {
  return wholeEntries(store, await store.read(ask));
}

/** Reads heads, in the order of the rows. Other work runs in between. */
async function headsOf(store: Reads, rows: readonly SizedRow[]): Promise<EntryHead[]> {
  const heads: EntryHead[] = [];
  for await (const ids of inSteps(rows, HEAD_STEP)) {
    for (const row of await store.read((db) => headRows(db, ids))) heads.push(headOf(row));
  }
  return heads;
}

/** Like `headsOf`. An entry that cannot be read stands in its place. */
export async function listedHeadsOf(store: Reads, rows: readonly SizedRow[]): Promise<Listed<EntryHead>[]> {
  const heads: Listed<EntryHead>[] = [];
  for await (const ids of inSteps(rows, HEAD_STEP)) {
    for (const row of await store.read((db) => headRows(db, ids))) heads.push(listedOf(row, headOf));
  }
  return heads;
}

/** A head with its document, or with the reason why the document cannot be read. */
type WithDocument = { head: EntryHead } & ({ document: RegisterDocument; problem?: undefined } | { problem: string });

/** Reads entries without their operations and documents. Other work of the event loop runs between the steps of a long reading. */
export class EntryHeads {
  readonly #store: Reads;
  readonly #tellUnreadable: UnreadableTold;
  /** The unfinished entries that could not be read when they were read last. */
  #unreadable: ReadonlySet<number> = new Set();

  /** `tellUnreadable`: called once with each unfinished entry that cannot be read. */
  constructor(store: Reads, tellUnreadable: UnreadableTold = () => {}) {
    this.#store = store;
    this.#tellUnreadable = tellUnreadable;
  }

  /**
   * Returns the entries that are neither done nor refused, in the order of their newest attempts. An entry that cannot be read is left out
   * and given to `tellUnreadable`, so that one entry does not stop the work at all registers. If the entry was sent, its own register stays
   * stopped: `sentOn` throws.
   */
  async unfinished(): Promise<EntryHead[]> {
    const listed = await this.unfinishedListed();
    const unreadable = listed.filter((entry): entry is UnreadableEntry => !isReadable(entry));
    for (const entry of unreadable) if (!this.#unreadable.has(entry.id)) this.#tellUnreadable(entry);
    this.#unreadable = new Set(unreadable.map(({ id }) => id));
    return listed.filter(isReadable);
  }

  /** Like `unfinished`. An entry that cannot be read stands in its place. */
  async unfinishedListed(): Promise<Listed<EntryHead>[]> {
    return listedHeadsOf(this.#store, await this.#store.read((db) => unfinishedSizes(db, {})));
  }

  /**
   * Returns the ids of the attempts that unfinished entries still need. Throws for a checkpoint that cannot be read: no attempt is missed.
   */
  async unfinishedAttempts(): Promise<Set<string>> {
    const attempts = new Set<string>();
    for await (const ids of inSteps(await this.#store.read((db) => unfinishedSizes(db, {})), HEAD_STEP)) {
      for (const row of await this.#store.read((db) => headRows(db, ids))) {
        const attemptId = checkpointOf(row).checkpoint?.attemptId;
        if (attemptId !== undefined) attempts.add(attemptId);
      }
    }
    return attempts;
  }

  async unfinishedOn(register: string): Promise<EntryHead[]> {
    return headsOf(this.#store, await this.#store.read((db) => unfinishedSizes(db, { register })));
  }

  /** Returns the entries of a register that may be in its drive and are neither done nor refused, in the order of their newest attempts. */
  async sentOn(register: string): Promise<EntryHead[]> {
    return headsOf(this.#store, await this.#store.read((db) => sentSizes(db, register)));
  }

  /**
   * Returns the unfinished entries that were sent to a drive through other addresses than `register`, in the order of their newest
   * attempts.
   */
  async sentToDriveElsewhere(driveNumber: string, register: string): Promise<EntryHead[]> {
    const heads = await headsOf(this.#store, await this.#store.read((db) => sentToDriveSizes(db, driveNumber)));
    return heads.filter((head) => head.register !== register && head.checkpoint?.driveNumber === driveNumber);
  }

  /** Returns the number of the newest move of all entries. */
  lastMove(): Promise<number> {
    return this.#store.read(lastMove);
  }

  async unfinishedCounts(): Promise<Record<"queued" | "sending" | "in-doubt", number>> {
    const counts = { queued: 0, sending: 0, "in-doubt": 0 };
    for (const { state, count } of await this.#store.read(countUnfinished)) counts[state as keyof typeof counts] = count;
    return counts;
  }

  doubtedRegisters(): Promise<string[]> {
    return this.#store.read((db) => doubtedRegisters(db));
  }

  /** Returns the entries that match the filter, newest first. An entry that cannot be read stands in its place. */
  async list(filter: EntryFilter): Promise<Listed<EntryHead>[]> {
    return listedHeadsOf(this.#store, await listedRows(this.#store, filter));
  }

  /** Returns the entries that match a person's search, the newest first. An entry that cannot be read stands in its place. */
  async search(wanted: EntrySearch): Promise<Listed<EntryHead>[]> {
    return listedHeadsOf(this.#store, await searchedRows(this.#store, wanted));
  }

  /** Yields the heads with their documents, in the order of the heads. Reads some documents at a time. Other work runs in between. */
  async *withDocuments(heads: readonly EntryHead[]): AsyncGenerator<WithDocument> {
    if (heads.length === 0) return;
    const known = new Map(heads.map((head) => [head.id, head]));
    for await (const ids of inSteps(await this.#store.read((db) => documentSizes(db, [...known.keys()])), WHOLE_STEP)) {
      for (const row of await this.#store.read((db) => documentRows(db, ids))) {
        const head = known.get(row.id);
        if (head === undefined) continue;
        const read = problemOf(() => documentOf(row));
        yield typeof read === "string" ? { head, problem: read } : { head, document: read.value };
      }
    }
  }
}
