import { type Clock, pause } from "../../../src/kernel/clock.ts";
import type { WriteCounter } from "../../../src/tools/demo/write-counter.ts";
import type { SeededRandom } from "../../../src/tools/seeded-random.ts";

/** A program that may be killed and is started again with the same data. */
export interface MortalProgram {
  /** How long the last undisturbed start took. */
  readonly startedInMs: number;
  /** With `killAfterMs` the program is killed while it starts. */
  start(killAfterMs?: number): Promise<unknown>;
  /** Kills the program with -9 and waits until it has ended. */
  kill(): Promise<void>;
}

/**
 * The longest wait before a kill. A request takes some tens of milliseconds, and several are under way, so a kill may come before
 * the first byte or after the answer.
 */
const LONGEST_WAIT_MS = 400;
/**
 * The largest number of writes before a kill. A few operations write so often, so the kill may cut a commit, or a
 * message between the programs.
 */
const MOST_WRITES = 24;
/** How long a kill waits for these writes. A program that waits for the other program writes nothing. */
const WRITES_LIMIT_MS = 1_500;
const SHARE_BY_TIME = 0.4;
/** The share of deaths that are followed by another one, while the program starts and settles what was left. */
const SHARE_ON_THE_WAY_UP = 0.25;

/** How many operations have been begun. A reaper waits for a certain number. */
export class Progress {
  #begun = 0;
  #news = Promise.withResolvers<void>();

  begin(): void {
    this.#begun += 1;
    this.#tell();
  }

  /** Ends all waits, because no more operations will begin. */
  close(): void {
    this.#begun = Number.POSITIVE_INFINITY;
    this.#tell();
  }

  async reached(count: number): Promise<void> {
    while (this.#begun < count) await this.#news.promise;
  }

  #tell(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers<void>();
  }
}

export interface ReaperParts {
  program: MortalProgram;
  /** Counters of the writes of both programs: the other program writes what this program has just sent. */
  writes: readonly WriteCounter[];
  progress: Progress;
  random: SeededRandom;
  clock: Clock;
}

/** Kills one program with -9 at moments that a seed decides, and starts it again with the same data. */
export class Reaper {
  readonly #parts: ReaperParts;
  #kills = 0;

  constructor(parts: ReaperParts) {
    this.#parts = parts;
  }

  get kills(): number {
    return this.#kills;
  }

  /**
   * Makes so many deaths while so many operations are begun. A start follows each death, and sometimes another death interrupts
   * the start.
   */
  async strike(deaths: number, operations: number, signal: AbortSignal): Promise<void> {
    const { program, progress, random } = this.#parts;
    const moments = Array.from({ length: deaths }, () => 1 + random.below(operations)).toSorted((a, b) => a - b);
    for (const moment of moments) {
      await progress.reached(moment);
      if (signal.aborted) return;
      await this.#rightMoment();
      await this.#kill(() => program.kill());
      while (random.fraction() < SHARE_ON_THE_WAY_UP) {
        await this.#kill(() => program.start(random.fraction() * program.startedInMs));
      }
      await program.start();
    }
  }

  async #kill(how: () => Promise<unknown>): Promise<void> {
    await how();
    this.#kills += 1;
  }

  async #rightMoment(): Promise<void> {
    const { random, clock, writes } = this.#parts;
    if (random.fraction() < SHARE_BY_TIME) return pause(clock, random.fraction() * LONGEST_WAIT_MS);
    const limit = new AbortController();
    const late = pause(clock, WRITES_LIMIT_MS, limit.signal).then(() => limit.abort());
    await writes[random.below(writes.length)]?.after(1 + random.below(MOST_WRITES), limit.signal);
    limit.abort();
    await late;
  }
}
