import type { Clock } from "../../kernel/clock.ts";
import type { Reached, RegisterState } from "../../registers/register.ts";

/** How often the state of an idle register is read. */
const IDLE_MS = 30_000;
/**
 * The delay from the end of a call, or from a new connection, to the next reading. A call that begins within this delay waits for no
 * reading.
 */
const AFTER_CALL_MS = 1_000;

interface Told {
  changed(state: Reached<RegisterState>): void;
  failed(error: unknown): void;
}

/**
 * Reads the state of an idle register periodically and reports changes, between `start` and `stop`. If only the time on the device's clock
 * has changed, nothing is reported.
 */
export class StateWatch {
  readonly #clock: Clock;
  readonly #read: () => Promise<Reached<RegisterState>>;
  readonly #told: Told;
  #last: Reached<RegisterState> | undefined;
  /** The last state that the server got since `start`. */
  #toldState: Reached<RegisterState> | undefined;
  #reading: Promise<void> | undefined;
  #calls = 0;
  #started = false;
  #cancel = () => {};

  constructor(clock: Clock, read: () => Promise<Reached<RegisterState>>, told: Told) {
    this.#clock = clock;
    this.#read = read;
    this.#told = told;
  }

  get last(): Reached<RegisterState> | undefined {
    return this.#last;
  }

  start(): void {
    this.#started = true;
    this.#toldState = undefined;
    this.#schedule(AFTER_CALL_MS);
  }

  stop(): void {
    this.#started = false;
    this.#cancel();
  }

  /** Waits for a running reading, then runs the call. No reading starts before the call ends. */
  async apart<T>(call: () => Promise<T>): Promise<T> {
    this.#calls += 1;
    this.#cancel();
    try {
      await this.#reading;
      return await call();
    } finally {
      this.#calls -= 1;
      this.#schedule(AFTER_CALL_MS);
    }
  }

  /** Notes a state that the server got as an answer, so that it is not reported again. */
  told(state: Reached<RegisterState>): void {
    this.#last = state;
    this.#toldState = state;
  }

  async idle(): Promise<void> {
    await this.#reading;
  }

  #schedule(delayMs: number): void {
    this.#cancel();
    if (!this.#started || this.#calls > 0) return;
    this.#cancel = this.#clock.after(delayMs, () => {
      this.#reading = this.#readOnce().finally(() => {
        this.#reading = undefined;
        this.#schedule(IDLE_MS);
      });
    });
  }

  /** Never rejects. A call that waits for this reading must not fail when the reading fails. */
  async #readOnce(): Promise<void> {
    try {
      const state = await this.#read();
      this.#last = state;
      if (!this.#started || (this.#toldState !== undefined && contentOf(state) === contentOf(this.#toldState))) return;
      this.#toldState = state;
      this.#told.changed(state);
    } catch (error) {
      this.#told.failed(error);
    }
  }
}

function contentOf(state: Reached<RegisterState>): string {
  return JSON.stringify(state, (name, value: unknown) => (name === "time" ? undefined : value));
}
