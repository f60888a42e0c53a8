import { type Clock, pause } from "../../../src/kernel/clock.ts";
import type { WriteCounter } from "../../../src/tools/demo/write-counter.ts";
import type { SeededRandom } from "../../../src/tools/seeded-random.ts";

/** A program that may be killed and is started again on the same data. */
export interface MortalProgram {
  /** How long the last whole start took. */
  readonly startedInMs: number;
  /** `killAfterMs` kills it on the way up. */
  start(killAfterMs?: number): Promise<unknown>;
  /** kill -9, and waits until it is gone. */
  kill(): Promise<void>;
}

/** A request takes some tens of milliseconds, and several are under way: this reaches from the first byte to after the answer. */
const LONGEST_WAIT_MS = 400;
/** Writes of a few operations: a death after one of them cuts a commit, or the way from one program to the other. */
const MOST_WRITES = 24;
/** How long those writes are waited for: a program that waits for the other one writes nothing. */
const WRITES_LIMIT_MS = 1_500;
const SHARE_BY_TIME = 0.4;
/** Of the deaths that are followed by another one, while the program comes up and takes up what was left. */
const SHARE_ON_THE_WAY_UP = 0.25;

/** How many operations have been begun, for whoever strikes at one of them. */
export class Progress {
  #begun = 0;
  #news = Promise.withResolvers<void>();

  begin(): void {
    this.#begun += 1;
    this.#tell();
  }

  /** No more will come: nobody waits any longer. */
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
  /** Count what the program writes, and what the other one does: its writes show what this one has just sent. */
  writes: readonly WriteCounter[];
  progress: Progress;
  random: SeededRandom;
  clock: Clock;
}

/** Kills one program with -9 at moments that a seed decides, and starts it again on the same data. */
export class Reaper {
  readonly #parts: ReaperParts;
  #kills = 0;

  constructor(parts: ReaperParts) {
    this.#parts = parts;
  }

  get kills(): number {
    return this.#kills;
  }

  /** So many deaths while so many operations are begun; each is followed by a start, and that now and then by another death. */
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
