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

/** Where committed changes are made to last; resolves once they would survive the end of the process. */
export interface ChangeLog {
  append(commit: Commit): Promise<void>;
  close(): Promise<void>;
}

/** What one request (or the sandbox itself) did, all of it or nothing. */
export interface Commit {
  readonly changes: readonly Change[];
  /** The number of the next id, so that ids never come twice. */
  readonly nextId: number;
}

/** Changes that belong together; each knows what was there before. */
export interface CommittedChange {
  readonly before: Stored | undefined;
  readonly after: Stored | undefined;
  /** Fields that the request named; undefined: the change followed from something else. */
  readonly named?: ReadonlySet<string> | undefined;
}

/** Sees what a commit changed, in order, and the request behind it; undefined: the sandbox itself. */
type Witness = (changes: readonly CommittedChange[], cause: Call | undefined) => void;

/**
 * The account: its objects, its ids, its clock. Work on it is synchronous, so that no two requests mix; memory runs ahead of
 * the disk, and answers wait for it: a write's by `commit`, everybody else's by `lasting`.
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
  /** The newest record's way to the disk; earlier ones are there before it. */
  #flushed: Promise<void> = Promise.resolve();
  #late: LateLists | undefined;
  readonly #lost = Promise.withResolvers<unknown>();
  #isLost = false;
  #open: { undo: Change[]; changes: Change[]; seen: CommittedChange[] } | "unlogged" | undefined;

  /** `run` tells this start from every other one of the same account; undefined: there is none. */
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

  /** What a reference points at; a bank account too, which lives inside of its owner. */
  pointed(reference: Reference): Stored | undefined {
    return this.objects.get(reference.type, reference.id) ?? this.innerObjects.get(reference);
  }

  /** A new id, for what is committed with it: the same seed gives the same row of ids. */
  newId(): string {
    return this.#ids.next();
  }

  /**
   * An id of what is told of and not kept: a notification, a task, a link. The log does not know it, so the next start
   * has another row: who remembers ids must not take a new event for an old one.
   */
  passingId(): string {
    return this.#passingIds.next();
  }

  /** An id that belongs to a name: the shop's own objects and generated ones. */
  namedId(name: string): string {
    return this.#ids.named(name);
  }

  /** Takes up what the log holds. */
  restore(commit: Commit): void {
    for (const change of commit.changes) this.objects.apply(change);
    this.#ids.continueAt(commit.nextId);
  }

  /** Told of every commit once it lasts. */
  witness(witness: Witness): void {
    this.#witnesses.push(witness);
  }

  put(stored: Stored, named?: ReadonlySet<string>): void {
    const before = this.objects.get(stored.type, stored.id);
    this.#change({ put: stored }, { before, after: stored, named });
  }

  /** The last step of its piece of work: what was removed and is taken back goes to the end of its list. */
  remove(stored: Stored): void {
    this.#change({ remove: { type: stored.type, id: stored.id } }, { before: stored, after: undefined });
  }

  /**
   * Runs one piece of work; when it throws, everything that it changed is taken back. Pieces nest: a part
   * that fails takes back only itself. The outermost returns once its changes would survive a kill; witnesses are
   * told then, with the request that caused it. When the log took it no more the account is lost, see `isLost`.
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
      // A repeat that changes nothing still waits for what it found: a created object may be on its way to the disk.
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
   * Resolves once everything that is in memory now would survive a kill, or the account is lost: what was read is told
   * after that, so that no answer tells what the next start does not know. Costs nothing while nothing is on its way.
   */
  async lasting(): Promise<void> {
    await this.#flushed.catch(() => undefined);
  }

  /** A part of a commit that may fail by itself: an element of a mass write. */
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

  /** Changes that the seed makes anew at each start: the log does not hold them, and none is ever taken back. */
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
   * Memory holds what the log does not, and later commits stand on it; whether the failed record reached the disk is
   * known at the next start only. So nothing of it may be told any more, neither with the changes nor without them.
   */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Resolves with the reason once the account is lost. */
  get lost(): Promise<unknown> {
    return this.#lost.promise;
  }

  /** From now on new objects may enter lists late (a fault). */
  delayLists(late: LateLists): void {
    this.#late = late;
    this.objects.watch(late);
  }

  /** What lists show of these: all, unless some of them are late. */
  listed(objects: readonly Stored[]): readonly Stored[] {
    return this.#late === undefined ? objects : this.#late.shown(objects);
  }

  /** How many ids of the row are taken. */
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

/** For an account that lives in memory only. */
export const FORGETFUL: ChangeLog = { append: () => Promise.resolve(), close: () => Promise.resolve() };
