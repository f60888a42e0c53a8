import type { Clock } from "../../../kernel/clock.ts";
import type { Call } from "../call/call.ts";
import { type IdMaker, idMaker } from "../values/ids.ts";
import type { Reference, Stored } from "../values/stored.ts";
import { Backlinks } from "./backlinks.ts";
import { Holders } from "./holders.ts";
import { InnerObjects } from "./inner-objects.ts";
import type { LateLists } from "./late-lists.ts";
import { Movements } from "./movements.ts";
import { Numbers } from "./numbers.ts";
import { type Change, Objects } from "./objects.ts";
import { SyncIds } from "./sync-ids.ts";
import { Uses } from "./uses.ts";

/** Keeps committed changes. `append` resolves once the changes would survive the end of the process. */
export interface ChangeLog {
  append(commit: Commit): Promise<void>;
  close(): Promise<void>;
}

/** The changes of one request, or of the sandbox itself: a start finds all of them or none. */
export interface Commit {
  readonly changes: readonly Change[];
  /** The number of the next id. A restarted account continues there, so that no id is given twice. */
  readonly nextId: number;
}

/** One change of one object: its state before and after. */
export interface CommittedChange {
  readonly before: Stored | undefined;
  readonly after: Stored | undefined;
  /** Names of the fields that the request named. Undefined: the change has another cause. */
  readonly named?: ReadonlySet<string> | undefined;
}

/**
 * Receives the changes of a commit in their order, and the request that caused them. `cause` is undefined for the sandbox's
 * own commits.
 */
type Witness = (changes: readonly CommittedChange[], cause: Call | undefined) => void;

/**
 * The account: its objects, its ids, its clock. Work on it is synchronous, so that two requests never mix. A change is in
 * memory before it is on disk. An answer waits for the disk: the answer of a write waits in `commit`, any other answer in
 * `lasting`.
 */
export class Account {
  readonly objects = new Objects();
  readonly backlinks = new Backlinks();
  readonly uses = new Uses();
  readonly syncIds = new SyncIds();
  readonly innerObjects = new InnerObjects();
  readonly holders = new Holders(this.objects);
  readonly numbers = new Numbers(this.objects);
  readonly movements = new Movements();
  readonly clock: Clock;
  readonly id: string;
  readonly seed: number;
  readonly #ids: IdMaker;
  readonly #passingIds: IdMaker;
  readonly #log: ChangeLog;
  readonly #witnesses: Witness[] = [];
  /** Resolves once the newest record is on disk. Earlier records are on disk before it. */
  #flushed: Promise<void> = Promise.resolve();
  #late: LateLists | undefined;
  readonly #lost = Promise.withResolvers<unknown>();
  #isLost = false;
  #open: { undo: Change[]; changes: Change[]; seen: CommittedChange[] } | "unlogged" | undefined;

  /** `run` differs for every start of the same account. Undefined: the account lives in memory and has one start only. */
  constructor(options: { clock: Clock; seed: number; log: ChangeLog; run?: string }) {
    this.clock = options.clock;
    this.objects.watch(this.backlinks);
    for (const watcher of [this.uses, this.syncIds, this.innerObjects, this.holders, this.numbers, this.movements])
      this.objects.watch(watcher);
    this.#log = options.log;
    this.seed = options.seed;
    this.#ids = idMaker(options.seed);
    this.#passingIds = idMaker(`${options.seed}/run/${options.run ?? ""}`);
    this.id = this.#ids.named("account");
  }

  /** Returns the object that a reference points at, also a bank account, which lives inside its owner. */
  pointed(reference: Reference): Stored | undefined {
    return this.objects.get(reference.type, reference.id) ?? this.innerObjects.get(reference);
  }

  /** Returns a new id for an object of this commit. The same seed gives the same sequence of ids. */
  newId(): string {
    return this.#ids.next();
  }

  /**
   * Returns an id for something that is sent but not stored: a notification, a task, a link. The log does not hold these ids, so each start
   * gives other ids. So a receiver that remembers ids never takes a new event for an old event.
   */
  passingId(): string {
    return this.#passingIds.next();
  }

  /** Returns the id that belongs to a name. The shop's own objects and the generated objects have such ids. */
  namedId(name: string): string {
    return this.#ids.named(name);
  }

  /** Applies a commit that the log holds. */
  restore(commit: Commit): void {
    for (const change of commit.changes) this.objects.apply(change);
    this.#ids.continueAt(commit.nextId);
  }

  /** Registers a witness. It is called after every commit, once the changes are on disk. */
  witness(witness: Witness): void {
    this.#witnesses.push(witness);
  }

  put(stored: Stored, named?: ReadonlySet<string>): void {
    const before = this.objects.get(stored.type, stored.id);
    this.#change({ put: stored }, { before, after: stored, named });
  }

  /**
   * Removes the object. It must be the last step of its piece of work: when the removal is undone, the object stands at the
   * end of its list.
   */
  remove(stored: Stored): void {
    this.#change({ remove: { type: stored.type, id: stored.id } }, { before: stored, after: undefined });
  }

  /**
   * Runs one piece of work. When the work throws, all its changes are undone. `attempt` runs a part of the work whose failure
   * undoes only this part. Resolves once the changes would survive a kill; the witnesses are called then, with the request
   * that caused the changes. When the log cannot write, the account is lost: see `isLost`.
   */
  async commit<T>(work: () => T, cause?: Call): Promise<T> {
    const open = { undo: [], changes: [], seen: [] };
    if (this.#open !== undefined) throw new Error("a commit inside of a commit");
    this.#open = open;
    let result: T;
    try {
      result = this.attempt(work);
    } finally {
      this.#open = undefined;
    }
    try {
      // A request that changes nothing also waits: an object that it found may not be on disk yet.
      if (open.changes.length > 0) this.#flushed = this.#log.append({ changes: open.changes, nextId: this.#ids.count });
      await this.#flushed;
    } catch (error) {
      this.#isLost = true;
      this.#lost.resolve(error);
      throw error;
    }
    if (open.seen.length > 0) for (const witness of this.#witnesses) witness(open.seen, cause);
    return result;
  }

  /**
   * Resolves once everything that is in memory now would survive a kill, or once the account is lost. An answer to a reading request waits
   * for this, because it must contain nothing that the next start does not know. The wait is short when no write is running.
   */
  async lasting(): Promise<void> {
    await this.#flushed.catch(() => undefined);
  }

  /** Runs a part of a commit that may fail alone, such as an element of a mass write. */
  attempt<T>(work: () => T): T {
    const open = this.#open;
    if (open === undefined || open === "unlogged") throw new Error("a change outside of a commit");
    const mark = open.changes.length;
    try {
      return work();
    } catch (error) {
      for (const change of open.undo.splice(mark).reverse()) this.objects.apply(change);
      open.changes.length = mark;
      open.seen.length = mark;
      throw error;
    }
  }

  /**
   * Runs work whose changes the seed repeats at each start. The log does not hold these changes, and they are never undone.
   */
  unlogged<T>(work: () => T): T {
    if (this.#open !== undefined) throw new Error("a commit inside of a commit");
    this.#open = "unlogged";
    try {
      return work();
    } finally {
      this.#open = undefined;
    }
  }

  /**
   * Whether a record could not be written. Memory then has changes that the log may not have, and later commits would build on these
   * changes. Only the next start can tell whether the failed record reached the disk. Until then the account must answer nothing.
   */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Resolves with the reason once the account is lost. */
  get lost(): Promise<unknown> {
    return this.#lost.promise;
  }

  /** Makes new objects appear in lists late from now on (a fault). */
  delayLists(late: LateLists): void {
    this.#late = late;
    this.objects.watch(late);
  }

  /** Returns the objects that lists show: all of them, unless some are late. */
  listed(objects: readonly Stored[]): readonly Stored[] {
    return this.#late === undefined ? objects : this.#late.shown(objects);
  }

  /** How many ids of the sequence are used. */
  get nextId(): number {
    return this.#ids.count;
  }

  close(): Promise<void> {
    return this.#log.close();
  }

  #change(change: Change, seen: CommittedChange): void {
    if (this.#open === undefined) throw new Error("a change outside of a commit");
    const undo = this.objects.apply(change);
    if (this.#open === "unlogged") return;
    this.#open.undo.push(undo);
    this.#open.changes.push(change);
    this.#open.seen.push(seen);
  }
}

/** The log of an account that lives in memory only. */
export const FORGETFUL: ChangeLog = { append: () => Promise.resolve(), close: () => Promise.resolve() };
