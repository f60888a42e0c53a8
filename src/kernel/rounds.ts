import type { Clock } from "./clock.ts";

/** Whether this process may do one kind of work now. At any time only one of several processes may do it. Never rejects. */
export type OnlyHere = () => Promise<boolean>;

/** Returns the `OnlyHere` of one kind of work. `work`: the name of the kind. */
export type Once = (work: string) => OnlyHere;

/** Runs work immediately and then repeatedly. The interval counts from the end of a round. */
export class Rounds {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #work: () => Promise<void>;
  readonly #onlyHere: OnlyHere | undefined;
  #cancelTimer: () => void = () => {};
  #closed = false;
  #round: Promise<void> = Promise.resolve();

  /**
   * `work` must handle its own failures: this class does not handle a rejection, which ends the rounds. `onlyHere` is asked before each
   * round; false skips the round.
   */
  constructor(clock: Clock, intervalMs: number, work: () => Promise<void>, onlyHere?: OnlyHere) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
    this.#work = work;
    this.#onlyHere = onlyHere;
  }

  start(): void {
    this.#round = this.#once().then(() => this.#schedule());
  }

  /** Waits for the running round. No further round starts. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelTimer();
    await this.#round;
  }

  async #once(): Promise<void> {
    if (this.#onlyHere === undefined || (await this.#onlyHere())) await this.#work();
  }

  #schedule(): void {
    if (this.#closed) return;
    this.#cancelTimer = this.#clock.after(this.#intervalMs, () => this.start());
  }
}
