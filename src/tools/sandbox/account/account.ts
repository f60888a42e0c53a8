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

/** Stores commits. `append` resolves when the commit would survive the end of the process. It rejects when the commit may be lost. */
export interface ChangeLog {
  append(commit: Commit): Promise<void>;
  close(): Promise<void>;
}

/** The changes of one request, or of the sandbox itself. A restart finds all of them or none. */
export interface Commit {
  readonly changes: readonly Change[];
  /** How many ids of the sequence are used. A restarted account continues after them, so no id repeats. */
  readonly nextId: number;
}

/** The state of one object before and after a change. */
export interface CommittedChange {
  readonly before: Stored | undefined;
  readonly after: Stored | undefined;
  /** The fields that the request named. Undefined: no request caused the change. */
  readonly named?: ReadonlySet<string> | undefined;
}

/** Receives the changes of a commit in order. `cause` is the request that made them, or undefined for the sandbox's own commits. */
type Witness = (changes: readonly CommittedChange[], cause: Call | undefined) => void;

/**
 * The account: its objects, ids and clock.
 * Work on the account is synchronous, so two requests never mix. A change is in memory before it is on disk. An answer waits for the disk:
 * a write in `commit`, a read in `lasting`.
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
  /** Resolves when the newest record is on disk. Earlier records are on disk before it. */
  #flushed: Promise<void> = Promise.resolve();
  #late: LateLists | undefined;
  readonly #lost = Promise.withResolvers<unknown>();
  #isLost = false;
  #open: { undo: Change[]; changes: Change[]; seen: CommittedChange[] } | "unlogged" | undefined;

  /** `run` differs for each start of the same account. An account in memory has no `run`. */
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

  /** Returns the object of a reference. The object may lie inside another object, like a bank account or a zone of a warehouse. */
  pointed(reference: Reference): Stored | undefined {
    return this.objects.get(reference.type, reference.id) ?? this.innerObjects.get(reference);
  }

  /** Returns a new id for an object. The same seed gives the same sequence of ids. */
  newId(): string {
    return this.#ids.next();
  }

  /**
   * Returns an id for something sent but not stored: a notification, a task, a link. The ids differ at each start of an account on disk,
   * because the log does not hold them. So a receiver that remembers ids never mistakes a new event for an old event.
   */
  passingId(): string {
    return this.#passingIds.next();
  }

  /** Returns the id that belongs to a name. The shop's own objects, the generated objects, settings and files have such ids. */
  namedId(name: string): string {
    return this.#ids.named(name);
  }

  /** Applies a commit from the log. */
  restore(commit: Commit): void {
    for (const change of commit.changes) this.objects.apply(change);
    this.#ids.continueAt(commit.nextId);
  }

  /** Registers a witness. Every commit with changes calls it, after the changes are on disk. */
  witness(witness: Witness): void {
    this.#witnesses.push(witness);
  }

  put(stored: Stored, named?: ReadonlySet<string>): void {
    const before = this.objects.get(stored.type, stored.id);
    this.#change({ put: stored }, { before, after: stored, named });
  }

  /** Removes the object. The caller must not fail afterwards: undoing a removal puts the object at the end of its list. */
  remove(stored: Stored): void {
    this.#change({ remove: { type: stored.type, id: stored.id } }, { before: stored, after: undefined });
  }

  /**
   * Runs the work as one commit. If the work throws, all its changes are undone; `attempt` undoes only a part.
   * When the changes would survive a kill, calls the witnesses and resolves. If the log cannot write, the account is lost: see `isLost`.
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
      // A request without changes also waits: it may have read an object that is not on disk yet.
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
   * Resolves when everything now in memory would survive a kill, or when the account is lost. An answer to a read waits for this, because
   * the next start must know everything that the answer contains. Without a running write the wait is short.
   */
  async lasting(): Promise<void> {
    await this.#flushed.catch(() => undefined);
  }

  /**
   * Runs a part of a commit that may fail alone, such as one element of a mass write. If the part throws, its changes are undone and the
   * error is rethrown.
   */
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

  /** Runs work that follows from the seed, so each start repeats it. Its changes are not logged and never undone. */
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
   * Whether a record could not be written. Only the next start can tell whether the record reached the disk. Memory may now differ from the
   * log, so the account must answer nothing.
   */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Resolves with the reason when the account is lost. */
  get lost(): Promise<unknown> {
    return this.#lost.promise;
  }

  /** From now on lists show new objects late (the fault late-lists). */
  delayLists(late: LateLists): void {
    this.#late = late;
    this.objects.watch(late);
  }

  /** Returns the objects that lists may show. Late objects are left out. */
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
