import { CompiledQuery, type Transaction } from "kysely";
import { type Clock, nextTurn } from "../kernel/clock.ts";
import type { Failure } from "../kernel/failure.ts";
import { isSqliteBusy } from "./dialects/sqlite.ts";
import type { Tables } from "./tables.ts";

type Tx = Transaction<Tables>;

interface Waiting {
  run(tx: Tx): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

type End = { kind: "done"; value: unknown } | { kind: "failed"; error: unknown };

/**
 * The largest number of pieces of work in one commit, without `behind` pieces. With more, the first piece would wait too long for the last.
 */
const MAX_TOGETHER = 32;
/** The largest number of `behind` pieces in one commit, in addition. Each delays the end of the commit by about half a millisecond. */
const MAX_BEHIND = 8;
/**
 * After this time a commit takes no further piece. In SQLite a transaction is one turn of the event loop, and a piece may write a thousand
 * rows. Thirty small pieces take less time.
 */
const MAX_TOGETHER_MS = 10;
/**
 * A commit begins after this many turns of the event loop in which no further piece came. The requests of several tills are parsed in
 * different turns, and one turn would leave half of them out of the commit.
 */
const QUIET_TURNS = 2;
/** The same while no till works beside another: only one piece waits, and no commit since the last pause had several pieces. */
const QUIET_TURNS_ALONE = 1;
/** A commit begins after this many turns even if each of them brought a further piece. */
const MAX_TURNS = 12;
/** The same as a time, for turns that are long because of other work. */
const MAX_WAITING_MS = 5;

const SAVEPOINT = CompiledQuery.raw("savepoint one");
const RELEASE = CompiledQuery.raw("release one");
const ROLLBACK = CompiledQuery.raw("rollback to one");

/**
 * Shares one transaction, and so one fsync, among pieces of work: those of a few turns of the event loop, and those that came during the
 * previous commit. There are many lanes but only one SQLite file. Each piece has its own outcome. A failed piece is rolled back alone. A
 * success is reported only when the commit is on disk. Other work runs between two commits.
 */
export class SharedCommit {
  readonly #commit: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;
  readonly #failureOf: (thrown: unknown) => Failure;
  readonly #clock: Pick<Clock, "monotonicMs">;
  #waiting: Waiting[] = [];
  /** Waiting work of `join` with `behind`. */
  #behind: Waiting[] = [];
  #draining = false;
  /** Since the draining began, a commit had several pieces. */
  #hasCompany = false;

  /** `failureOf` makes the caller's failure for a piece of work that was rolled back alone. */
  constructor(
    commit: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>,
    failureOf: (thrown: unknown) => Failure,
    clock: Pick<Clock, "monotonicMs">,
  ) {
    this.#commit = commit;
    this.#failureOf = failureOf;
    this.#clock = clock;
  }

  /** `behind`: other waiting work goes first. Each commit includes some `behind` work, so it never waits for ever. */
  join<T>(work: (tx: Tx) => Promise<T>, { behind = false } = {}): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    (behind ? this.#behind : this.#waiting).push({ run: work, resolve: (value) => resolve(value as T), reject });
    if (!this.#draining) void this.#drain();
    return promise;
  }

  async #drain(): Promise<void> {
    this.#draining = true;
    do {
      await this.#furtherPieces();
      await this.#together(this.#waiting.splice(0, MAX_TOGETHER), this.#behind.splice(0, MAX_BEHIND));
    } while (this.#waiting.length + this.#behind.length > 0);
    this.#draining = false;
    this.#hasCompany = false;
  }

  /** Waits at least one turn, so that other work runs between two commits. */
  async #furtherPieces(): Promise<void> {
    const untilMs = this.#clock.monotonicMs() + MAX_WAITING_MS;
    let quiet = 0;
    for (let turn = 1; turn <= MAX_TURNS; turn += 1) {
      const before = this.#waiting.length;
      await nextTurn();
      if (this.#waiting.length >= MAX_TOGETHER || this.#clock.monotonicMs() >= untilMs) return;
      quiet = this.#waiting.length > before ? 0 : quiet + 1;
      const isAlone = !this.#hasCompany && this.#waiting.length <= 1;
      if (quiet >= (isAlone ? QUIET_TURNS_ALONE : QUIET_TURNS)) return;
    }
  }

  async #together(waiting: Waiting[], behind: Waiting[]): Promise<void> {
    const group = [...waiting, ...behind];
    const [only, another] = group;
    this.#hasCompany ||= waiting.length > 1;
    try {
      if (only !== undefined && another === undefined) return only.resolve(await this.#commit(only.run));
      const ends = await this.#commit((tx) => this.#eachApart(tx, waiting, behind));
      for (const piece of group) settle(piece, ends.get(piece), this.#failureOf);
      this.#waiting.unshift(...waiting.filter((piece) => !ends.has(piece)));
      this.#behind.unshift(...behind.filter((piece) => !ends.has(piece)));
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  /**
   * Runs the pieces until the time is over, and returns their ends. Pieces without an end wait for the next commit. The first piece of each
   * list always runs: otherwise long pieces could delay the `behind` pieces for ever.
   */
  async #eachApart(tx: Tx, waiting: readonly Waiting[], behind: readonly Waiting[]): Promise<Map<Waiting, End>> {
    const ends = new Map<Waiting, End>();
    const untilMs = this.#clock.monotonicMs() + MAX_TOGETHER_MS;
    for (const list of [waiting, behind]) {
      for (const [nth, piece] of list.entries()) {
        if (nth > 0 && this.#clock.monotonicMs() >= untilMs) break;
        ends.set(piece, await apart(tx, piece.run));
      }
    }
    return ends;
  }
}

function settle({ resolve, reject }: Waiting, end: End | undefined, failureOf: (thrown: unknown) => Failure): void {
  if (end?.kind === "done") resolve(end.value);
  else if (end?.kind === "failed") reject(failureOf(end.error));
}

/**
 * Runs one piece of work with its own savepoint. When another process has the lock, or SQLite rolled back the transaction, the whole
 * group fails with the error.
 */
async function apart(tx: Tx, run: Waiting["run"]): Promise<End> {
  await tx.executeQuery(SAVEPOINT);
  try {
    const value = await run(tx);
    await tx.executeQuery(RELEASE);
    return { kind: "done", value };
  } catch (error) {
    if (isSqliteBusy(error) || !(await rolledBack(tx))) throw error;
    return { kind: "failed", error };
  }
}

/**
 * Rolls back to the savepoint. False when SQLite has already rolled back the whole transaction, as on a full disk. An error about the
 * missing savepoint would hide the reason.
 */
async function rolledBack(tx: Tx): Promise<boolean> {
  try {
    await tx.executeQuery(ROLLBACK);
    await tx.executeQuery(RELEASE);
    return true;
  } catch {
    return false;
  }
}
