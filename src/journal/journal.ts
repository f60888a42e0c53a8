import type { Clock } from "../kernel/clock.ts";
import { present } from "../kernel/present.ts";
import type { RegisterDocument } from "../model/document.ts";
import { type Doubt, sameDoubt } from "../model/doubt.ts";
import type { PlatformId } from "../model/operation.ts";
import type { Reason } from "../model/reason.ts";
import type { Store } from "../store/database.ts";
import type { ShiftLinksTable } from "../store/tables.ts";
import { entriesUnder } from "./correction-queries.ts";
import { DoneNotices } from "./done-notices.ts";
import { DriveReadings } from "./drives/drive-readings.ts";
import type { Checkpoint, Entry, EntryContent, EntryKey, Move, Twin } from "./entry.ts";
import { EntryHeads, entriesAsked, wholeEntries } from "./entry-heads.ts";
import { illegalMove, movedFailure, mustHold, noSuchEntry, takenFailure } from "./failures.ts";
import { lastDoneRow, listedRows, newestRowOfStore, rowsOfReturns, rowsOfShift, rowsOfSign } from "./finding/found-entries.ts";
import * as newest from "./newest-queries.ts";
import {
  alreadyThere,
  closedShift,
  type JournalOutcome,
  openedShift,
  outcomeColumns,
  outcomeFields,
  placeIn,
  reasonsOf,
} from "./outcome.ts";
import * as queries from "./queries.ts";
import type { UnreadableEntry } from "./reading/unreadable.ts";
import { returnsOf } from "./return-queries.ts";
import { checkpointOf, type DrivePlace, documentColumns, freshColumns, moveOf, optionalEntry, twinOf } from "./rows.ts";
import type { DeviceShift, ShiftOwner } from "./shift-owner.ts";
import { ownShifts, shiftOwner, usedByAnother } from "./shift-owner-queries.ts";
import { type EntryState, inOrderOfLife, mayMove } from "./states.ts";
import { replaceTraces, writeNewStatement } from "./taken-back-queries.ts";
import { type StrayDocument, Strays } from "./written/strays.ts";
import { WrittenEntries } from "./written/written-entries.ts";

export type JournalStore = Pick<Store, "commit" | "read">;
/** The caller's own work in the commit of a move. */
type Also = Parameters<JournalStore["commit"]>[0];

export interface JournalParts {
  store: JournalStore;
  clock: Clock;
  /**
   * Called once for each entry that this journal made done, after the commit. Not called when a person's new statement only replaces the
   * facts of a done entry.
   */
  done?(entry: Entry): void;
  /** Called at the start with the documents whose entries were deleted. These documents are read in their drives again. */
  strays?(documents: readonly StrayDocument[]): void;
  /** Called once with each unfinished entry that cannot be read. */
  tellUnreadable?(entry: UnreadableEntry): void;
  /** Whether this process holds the register until the transaction ends. Called in each transaction that records an intention to send. */
  fence?(tx: Parameters<Also>[0], register: string): Promise<boolean>;
}

/** A transaction deletes at most this many answers of each table. The number is small, because a sale may wait for the lock. */
const DROP_BATCH = 50;

/**
 * The record of all operations. A changing method is one commit (one fsync in SQLite, one flush of the log in PostgreSQL). Its change is on
 * disk when the method resolves. Several commits may be needed by `rememberNewest`, by `dropAnswersBefore`, and for a new entry whose id is
 * taken (`Strays`). After `database-failed` without `retrySafe` the change may or may not be on disk.
 *
 * A sale at a free register takes three commits: begin, finish, storeAnswer. A move is a compare-and-set on id, state and attempt. When two
 * moves race, one gets `journal-moved` and changes nothing. No transaction waits for a register or for the network.
 */
export class Journal {
  readonly #store: JournalStore;
  readonly #clock: Clock;
  readonly #done: DoneNotices;
  readonly #written = new WrittenEntries();
  readonly #fence: JournalParts["fence"];
  readonly #strays: Strays;
  readonly drives: DriveReadings;
  readonly heads: EntryHeads;

  constructor({ store, clock, done, fence, strays, tellUnreadable }: JournalParts) {
    this.#store = store;
    this.#clock = clock;
    this.#done = new DoneNotices(done);
    this.#fence = fence;
    this.#strays = new Strays(store, strays);
    this.drives = new DriveReadings(store);
    this.heads = new EntryHeads(store, tellUnreadable);
  }

  /**
   * Remembers the newest entries as this process's own (written-entries.ts). Without `isHere` it also marks the documents of deleted
   * entries as unread, and forgets readings of drives that do not fit the journal. Both must happen before the first operation.
   */
  async rememberNewest(isHere?: (register: string) => boolean): Promise<void> {
    if (isHere === undefined) {
      await this.#strays.settle();
      await this.drives.forgetReadingsAhead();
    }
    await this.#store.read((db) => this.#written.rememberNewest(db, isHere));
  }

  async find(key: EntryKey): Promise<Entry | undefined> {
    return optionalEntry(await this.#store.read((db) => queries.entryByKey(db, key)));
  }

  async get(id: number): Promise<Entry | undefined> {
    return optionalEntry(await this.#store.read((db) => queries.entryById(db, id)));
  }

  /** Adds the operation as `queued`. After a refusal this is a new attempt with this content. One commit. */
  accept(content: EntryContent): Promise<Entry> {
    return this.#enter(content, "queued");
  }

  /** Adds the operation to the journal as `sending`. After this, bytes may leave for the register. One commit. */
  begin(content: EntryContent, checkpoint: Checkpoint, also?: Also): Promise<Entry> {
    return this.#enter(content, "sending", checkpoint, also);
  }

  /** As `begin`, for a queued entry. `document` replaces the accepted document. */
  async send(entry: Entry, checkpoint: Checkpoint, document?: RegisterDocument, also?: Also): Promise<Entry> {
    if (!mayMove(entry.state, "sending") || entry.state !== "queued") throw illegalMove(entry, "sending");
    const changed = { checkpoint: JSON.stringify(checkpoint), ...(document === undefined ? {} : documentColumns(document)) };
    const movedAtMs = await this.#move(entry, "sending", changed, { by: "caller" }, { also });
    return this.#written.note({ ...entry, state: "sending", movedAtMs, checkpoint, ...present({ document }) });
  }

  /**
   * Records the outcome and its source in one commit. Safe to repeat with the same `entry` and outcome: the row stays unchanged. A done
   * opening, or the platform's done closing, also links the device's shift to the platform's shift, unless such a link exists. `given`: the
   * caller's reasons (outcome.ts, `reasonsOf`).
   */
  async finish(entry: Entry, outcome: JournalOutcome, by: Move["by"], given?: readonly Reason[], also?: Also): Promise<Entry> {
    if (!mayMove(entry.state, outcome.kind)) throw illegalMove(entry, outcome.kind);
    const changed = outcomeColumns(outcome);
    const why = { by, reasons: reasonsOf(outcome, entry, given) };
    const made = { place: placeIn(outcome), opened: openedShift(entry, outcome) ?? closedShift(entry, outcome), also };
    const movedAtMs = await this.#move(entry, outcome.kind, changed, why, made);
    const { refusal: _refusal, doubt: _doubt, facts: _facts, ...kept } = entry;
    const finished = this.#written.note<Entry>({ ...kept, state: outcome.kind, movedAtMs, ...outcomeFields(outcome) });
    if (finished.state === "done") this.#done.tell(finished);
    return finished;
  }

  /** Replaces the reason of a doubt, so that a person reads the newest reason. One commit, or none if the reason is the same. */
  async stillInDoubt(entry: Entry, doubt: Doubt): Promise<Entry> {
    if (sameDoubt(entry.doubt, doubt)) return entry;
    if (entry.state !== "in-doubt") throw illegalMove(entry, "in-doubt");
    const won = await this.#store.commit((tx) => queries.moveEntry(tx, entry, { doubt: JSON.stringify(doubt) }), "outcome");
    if (!won) throw movedFailure(entry);
    return { ...entry, doubt };
  }

  /**
   * Replaces a person's statement about an entry, and the traces of this statement outside the entry. Writes two moves in one new attempt:
   * back into doubt, and out of the doubt. One commit. Throws `journal-illegal-move` when the last statement was not a person's, and
   * `journal-moved` when the entry has moved since it was read.
   */
  async settleAgain(
    entry: Entry,
    outcome: Exclude<JournalOutcome, { kind: "in-doubt" }>,
    given?: readonly Reason[],
    also?: Also,
  ): Promise<Entry> {
    const attempt = entry.attempt + 1;
    const atMs = this.#clock.nowMs();
    const reasons = reasonsOf(outcome, entry, given);
    const { claimed, wasDone } = await this.#store.commit(async (tx) => {
      const written = await writeNewStatement(tx, entry, { outcome, reasons, attempt, atMs });
      await also?.(tx);
      return { ...written, claimed: await replaceTraces(tx, entry, outcome) };
    }, "outcome");
    if (claimed !== undefined) this.drives.readAgain(claimed);
    const { refusal: _refusal, facts: _facts, ...kept } = entry;
    const settled = this.#written.note<Entry>({ ...kept, state: outcome.kind, attempt, movedAtMs: atMs, ...outcomeFields(outcome) });
    if (settled.state === "done" && !wasDone) this.#done.tell(settled);
    return settled;
  }

  /**
   * Stores the answer to a done entry, in bytes, and returns the stored bytes: the first stored answer stays for every caller. One
   * commit. Throws `journal-moved` when a person has replaced the outcome meanwhile, and `journal-no-such-entry` when the entry is not
   * done.
   */
  async storeAnswer(entry: Pick<Entry, "id" | "state" | "attempt">, body: Buffer): Promise<Buffer> {
    const first = await this.#store.commit((tx) => queries.insertAnswer(tx, entry, body), "outcome");
    if (first) return body;
    const now = await this.#store.read((db) => queries.standingOf(db, entry.id));
    if (now?.state !== "done") throw noSuchEntry(entry.id, "done entry");
    if (now.attempt !== entry.attempt) throw movedFailure(entry);
    return (await this.answerOf(entry.id)) ?? body;
  }

  /** Returns the stored bytes. Undefined when none were stored or they were deleted. */
  answerOf(entryId: number): Promise<Buffer | undefined> {
    return this.#store.read((db) => queries.answerBody(db, entryId));
  }

  /** Deletes answers, not facts, of entries done before the moment, 50 of a table in a commit. Returns the number of deleted answers. */
  async dropAnswersBefore(beforeMs: number): Promise<number> {
    let dropped = 0;
    for (;;) {
      const { deleted, more } = await this.#store.commit((tx) => queries.deleteAnswers(tx, beforeMs, DROP_BATCH));
      dropped += deleted;
      if (!more) return dropped;
    }
  }

  /** Returns the entries that are neither done nor refused, of one register or of all, in the order of their newest attempts. */
  async unfinished(register?: string): Promise<Entry[]> {
    return entriesAsked(this.#store, (db) => queries.unfinishedSizes(db, present({ register })));
  }

  /** Returns the unfinished entries of a register that may be in its drive, in the order of their newest attempts. */
  async sentOn(register: string): Promise<Entry[]> {
    return entriesAsked(this.#store, (db) => queries.sentSizes(db, register));
  }

  /** Returns the entries with the same store, name, moment and totals under another id type, in any state, oldest first. */
  async twins(content: Pick<EntryContent, "key" | "twinHash" | "idType">): Promise<Twin[]> {
    const rows = await this.#store.read((db) => queries.entriesByTwin(db, content));
    return rows.map((row) => twinOf(row, content.key));
  }

  /**
   * Links the platform's shift to the device's shift, unless the device's shift has a link of this id type. Returns all links of the
   * device's shift. One commit. Safe to repeat.
   */
  async linkShift(register: string, driveNumber: string, shiftNumber: number, shift: PlatformId): Promise<PlatformId[]> {
    const link = { register, drive_number: driveNumber, shift_number: shiftNumber, id_type: shift.idType, shift_id: shift.id };
    await this.#store.commit((tx) => queries.insertShiftLink(tx, link));
    return this.shiftLinks(driveNumber, shiftNumber);
  }

  async shiftLinks(driveNumber: string, shiftNumber: number): Promise<PlatformId[]> {
    const links = await this.#store.read((db) => queries.shiftLinks(db, driveNumber, shiftNumber));
    return links.map((link) => ({ id: link.shift_id, idType: link.id_type as PlatformId["idType"] }));
  }

  /** Returns the owner of a device's shift, as far as known. */
  shiftOwner(shift: DeviceShift): Promise<ShiftOwner> {
    return this.#store.read((db) => shiftOwner(db, shift));
  }

  /** Returns the device shifts linked to the platform's shift, newest first, without the shifts of another account. */
  deviceShiftsOf(accountId: string, driveNumber: string, shift: PlatformId): Promise<number[]> {
    return this.#store.read((db) => ownShifts(db, accountId, driveNumber, shift));
  }

  /** Whether another account made one of the drive's newest documents. State reports do not count. */
  usedByAnother(driveNumber: string, accountId: string): Promise<boolean> {
    return this.#store.read((db) => usedByAnother(db, driveNumber, accountId));
  }

  /** Whether the journal has this document of the drive. */
  hasDocument(driveNumber: string, documentNumber: number): Promise<boolean> {
    return this.#store.read((db) => newest.hasNumber(db, driveNumber, documentNumber));
  }

  /** Returns the fiscal sign of a done sale, for its return. Undefined when the journal has no such sale. */
  async signOfSale(appId: string, accountId: string, documentId: string): Promise<string | undefined> {
    const sale = await this.find({ appId, accountId, operation: "sale", documentId });
    return sale?.state === "done" && sale.facts?.kind === "fiscal" ? sale.facts.fiscalSign : undefined;
  }

  /** Returns at most `limit` returns that name a sale by its id, newest first, but waiting and refused returns last. */
  async returnsOf(appId: string, accountId: string, saleId: string, limit: number): Promise<Entry[]> {
    return entriesAsked(this.#store, (db) => returnsOf(db, { appId, accountId, saleId }, limit));
  }

  /**
   * Returns the entry of the drive's newest document, otherwise the register's last done entry with the drive. The facts of this entry have
   * the register's last known identity. For a person's requests.
   */
  async newestWith(register: string, driveNumber: string): Promise<Entry | undefined> {
    const found = await this.#store.read((db) => newest.newestDocument(db, driveNumber));
    return optionalEntry(found ?? (await lastDoneRow(this.#store, { register, driveNumber })));
  }

  /** Returns the entry that a register finished last, with any drive. `answered`: only entries that the register's own answer made done. */
  async lastDone(register: string, which: "any" | "answered" = "any"): Promise<Entry | undefined> {
    return optionalEntry(await lastDoneRow(this.#store, { register, ...(which === "any" ? {} : { by: "register" }) }));
  }

  /** Returns a point of sale's entry that moved last. For a person's requests. */
  async newestOf(accountId: string, storeId: string): Promise<Entry | undefined> {
    return optionalEntry(await newestRowOfStore(this.#store, { accountId, storeId }));
  }

  /** Returns the done entries of a device's shift. Reads many rows: for a person's requests, never for an operation. */
  async doneInShift(register: string, driveNumber: string, shiftNumber: number): Promise<Entry[]> {
    return wholeEntries(this.#store, await rowsOfShift(this.#store, { register, driveNumber, shiftNumber }));
  }

  /** Returns the account's entries of an operation whose ids begin with `idPrefix`, oldest first. For a person's requests. */
  async entriesUnder(key: Omit<EntryKey, "documentId">, idPrefix: string): Promise<Entry[]> {
    return entriesAsked(this.#store, (db) => entriesUnder(db, key, idPrefix));
  }

  /** Returns at most ten done entries of a drive with this fiscal sign, digits only. Reads many rows: only for a person's requests. */
  async doneBySign(driveNumber: string, fiscalSign: string): Promise<Entry[]> {
    return wholeEntries(this.#store, await rowsOfSign(this.#store, driveNumber, fiscalSign));
  }

  /** Returns the entry of the drive's newest document. For a person's requests. */
  async newestFiscal(driveNumber: string): Promise<Entry | undefined> {
    return optionalEntry(await this.#store.read((db) => newest.newestDocument(db, driveNumber)));
  }

  /** Returns the returns that name a sale by its fiscal sign, without refused returns. Reads many rows: for a person's requests. */
  async returnsNaming(key: Pick<EntryKey, "appId" | "accountId">, fiscalSign: string): Promise<Entry[]> {
    const { appId, accountId } = key;
    return wholeEntries(this.#store, await rowsOfReturns(this.#store, { appId, accountId, fiscalSign }));
  }

  /** Returns the number of the drive's newest known document, 0 for none. */
  async lastDocumentNumber(driveNumber: string): Promise<number> {
    return (await this.#store.read((db) => newest.newestNumber(db, driveNumber))) ?? 0;
  }

  /** Returns the number of the drive's first known document. Undefined for none. */
  firstDocumentNumber(driveNumber: string): Promise<number | undefined> {
    return this.#store.read((db) => newest.firstNumber(db, driveNumber));
  }

  /** Returns the known document numbers in the drive that are above the number `behind`. */
  async documentNumbers(driveNumber: string, behind: number): Promise<Set<number>> {
    return new Set(await this.#store.read((db) => newest.numbersBehind(db, driveNumber, behind)));
  }

  /** Returns all moves of the entry, first move first. */
  async moves(entryId: number): Promise<Move[]> {
    return inOrderOfLife((await this.#store.read((db) => queries.movesOf(db, entryId))).map(moveOf));
  }

  /** Returns the entries that match the filter, newest first. */
  async list(filter: queries.EntryFilter): Promise<Entry[]> {
    return wholeEntries(this.#store, await listedRows(this.#store, filter));
  }

  /** Inserts the entry. If a refused entry has the key, starts a new attempt of that entry. */
  async #enter(content: EntryContent, to: "queued" | "sending", checkpoint?: Checkpoint, also?: Also): Promise<Entry> {
    const atMs = this.#clock.nowMs();
    const fresh = freshColumns(content, { state: to, atMs, checkpoint });
    const { appId, accountId, operation, documentId } = content.key;
    const key = { app_id: appId, account_id: accountId, operation, document_id: documentId };
    const entered = await this.#strays.commitEntry(async (tx) => {
      if (to === "sending") await mustHold(this.#fence?.(tx, content.register), content.register);
      await this.#written.mustStand(tx, content.register);
      const id = await queries.insertEntry(tx, { ...key, ...fresh, attempt: 1, accepted_at_ms: atMs }, this.#strays.idsFrom);
      if (id !== undefined) {
        this.#written.mustHave(content.key);
        await queries.insertMove(tx, { entryId: id, attempt: 1, atMs, to, by: "caller" });
        await also?.(tx);
        return { id, attempt: 1, acceptedAtMs: atMs };
      }
      const refused = await queries.entryByKey(tx, content.key);
      this.#written.mustHave(content.key, refused);
      const state = refused?.state as EntryState | undefined;
      if (refused === undefined) return undefined;
      if (state !== "refused" || !mayMove(state, to)) throw takenFailure(content.key);
      const attempt = refused.attempt + 1;
      // An earlier attempt may still be in the drive. Its checkpoint shows where to look, so a new attempt that only waits keeps it.
      const earlier = checkpoint === undefined ? { checkpoint: refused.checkpoint } : {};
      const won = await queries.moveEntry(tx, { id: refused.id, state, attempt: refused.attempt }, { ...fresh, ...earlier, attempt });
      if (!won) throw takenFailure(content.key);
      await queries.insertMove(tx, { entryId: refused.id, attempt, atMs, from: state, to, by: "caller" });
      await also?.(tx);
      return { id: refused.id, attempt, acceptedAtMs: refused.accepted_at_ms, ...checkpointOf(refused) };
    });
    return this.#written.note({ ...content, ...entered, state: to, movedAtMs: atMs, ...present({ checkpoint }) });
  }

  async #move(
    entry: Entry,
    to: EntryState,
    changed: Partial<queries.NewEntry>,
    why: { by: Move["by"]; reasons?: readonly Reason[] },
    { place, opened, also }: { place?: DrivePlace | undefined; opened?: ShiftLinksTable | undefined; also?: Also | undefined } = {},
  ): Promise<number> {
    const atMs = this.#clock.nowMs();
    // An outcome has happened, so it is written even into a removed database file. An intention to send is not written there, because the
    // next start could not find it.
    const what = to === "sending" ? "change" : "outcome";
    return await this.#store.commit(async (tx) => {
      if (to === "sending") await mustHold(this.#fence?.(tx, entry.register), entry.register);
      if (to === "sending") await this.#written.mustStand(tx, entry.register);
      const won = await queries.moveEntry(tx, entry, { ...changed, state: to, moved_at_ms: atMs });
      if (!won) return alreadyThere(await queries.entryById(tx, entry.id), entry, to, changed);
      // The successful change proves that the row was in the state of `entry`.
      this.#written.mustHave(entry.key, entry);
      const { by, reasons = [] } = why;
      const { id: entryId, attempt, state: from } = entry;
      await queries.insertMove(tx, { entryId, attempt, atMs, from, to, by, reasons }, place);
      if (opened !== undefined) await queries.insertShiftLink(tx, opened);
      await also?.(tx);
      return atMs;
    }, what);
  }
}
