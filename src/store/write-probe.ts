import type { Transaction } from "kysely";
import type { Chance, Clock } from "../kernel/clock.ts";
import type { Tables } from "./tables.ts";

/** How long an answer stays valid. However often a caller asks, this bounds the trial commits. */
const ANSWER_AGE_MS = 5_000;

/** `much`: as many bytes as several operations write. `usual`: as one operation writes. */
export type TrialSize = "usual" | "much";

/** The drive number of a trial commit's row. No drive has this number. */
const TRIAL_DRIVE = "none";
/**
 * The size of a trial commit. A sale of two positions takes about 4.5 KB that are kept for ever, and its stored answer about four times as
 * much. PostgreSQL reuses the room of deleted rows only for later rows of the same table. Here this is the room of the usual trials of some
 * minutes, and a trial with `much` does not fit into it.
 */
const TRIAL_BYTES = { usual: 16 * 1024, much: 1024 * 1024 } as const satisfies Record<TrialSize, number>;

/**
 * The work of a trial commit: writes about as many bytes as one operation or several operations write, and deletes them. Each trial has a
 * key of its own. With one key for all, the processes of a cluster would wait for each other's commits.
 */
export function trialOf(size: TrialSize, chance: Chance): (tx: Transaction<Tables>) => Promise<void> {
  const bytes = chance.bytes(TRIAL_BYTES[size] / 2);
  const row = { drive_number: TRIAL_DRIVE, document_number: bytes.readUInt32BE() >>> 1, reference: bytes.toString("hex") };
  return async (tx) => {
    await tx.insertInto("lost_documents").values(row).execute();
    await tx
      .deleteFrom("lost_documents")
      .where("drive_number", "=", row.drive_number)
      .where("document_number", "=", row.document_number)
      .execute();
  };
}

/**
 * Tests with a commit whether changes can be committed. Only the trial commit says yes. A commit of other work may be small enough for the
 * room that a full disk still has, such as a lease that is renewed in its row. Such a commit only ends an earlier no, and a failed commit
 * ends every earlier answer: the next question makes a new trial commit. After a failure the trial is `much`, because the room of an
 * earlier trial's deleted row would be enough for another usual trial, but not for operations.
 */
export class WriteProbe {
  readonly #clock: Clock;
  readonly #tryToCommit: (size: TrialSize) => Promise<void>;
  #trial: { atMs: number; answer: Promise<void>; failed: boolean } | undefined;
  /** True from a failed commit until a trial that began later succeeds. */
  #hasFailed = false;

  constructor(clock: Clock, tryToCommit: (size: TrialSize) => Promise<void>) {
    this.#clock = clock;
    this.#tryToCommit = tryToCommit;
  }

  /** Call this after a commit of other work. */
  committed(): void {
    if (this.#trial?.failed === true) this.#trial = undefined;
  }

  /** Call this after a failed commit. */
  failed(): void {
    this.#hasFailed = true;
    this.#trial = undefined;
  }

  /** Rejects with the error of the trial commit. */
  async ask(): Promise<void> {
    const oldestMs = this.#clock.monotonicMs() - ANSWER_AGE_MS;
    if (this.#trial === undefined || this.#trial.atMs <= oldestMs) this.#try();
    await this.#trial?.answer;
  }

  #try(): void {
    const answer = this.#tryToCommit(this.#hasFailed ? "much" : "usual");
    const trial = { atMs: this.#clock.monotonicMs(), answer, failed: false };
    this.#trial = trial;
    answer.then(
      () => {
        if (this.#trial === trial) this.#hasFailed = false;
      },
      () => {
        trial.failed = true;
        this.#hasFailed = true;
        // A failed trial calls `failed`, which removes this answer. The failure is an answer too, so the answer is put back.
        this.#trial ??= trial;
      },
    );
  }
}
