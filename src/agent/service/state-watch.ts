import type { Clock } from "../../kernel/clock.ts";
import type { Reached, RegisterState } from "../../registers/register.ts";

/** How often the state is read while nobody uses the register. */
const IDLE_MS = 30_000;
/**
 * How long after a call, or after the connection was made, the state is read. During this time a further call may come without waiting for
 * a reading.
 */
const AFTER_CALL_MS = 1_000;

interface Told {
  /** Called when the state has changed. */
  changed(state: Reached<RegisterState>): void;
  /** Called with the failure of a driver. */
  failed(error: unknown): void;
}

/**
 * Reads the state of a register from time to time while nobody uses it, and reports changes. A new time of the device's clock alone is no
 * change.
 */
export class StateWatch {
  readonly #clock: Clock;
  readonly #read: () => Promise<Reached<RegisterState>>;
  readonly #told: Told;
  #last: Reached<RegisterState> | undefined;
  /** The state that the server was told last. */
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

  /** Runs a call while the state is not read. Waits for a reading that has begun. */
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

  /** Notes a state that the server has got as an answer, so that it is not reported again. */
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

  /** Never rejects: nobody waits for this reading, and a call that comes meanwhile must not fail with it. */
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
