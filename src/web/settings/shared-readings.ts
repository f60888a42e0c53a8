import type { Clock } from "../../kernel/clock.ts";

interface Reading<Value> {
  begunAtMs: number;
  value: Promise<Value>;
}

/**
 * Shares readings between requests. A request less than `lastsMs` after the beginning of a reading gets the answer of that reading. A
 * reading that has failed is not shared with later requests.
 */
export class SharedReadings<Value> {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #lastsMs: number;
  /** The oldest reading first. Old readings are dropped, so the map is bounded by the names read within `lastsMs`. */
  readonly #readings = new Map<string, Reading<Value>>();

  constructor(clock: Pick<Clock, "monotonicMs">, { lastsMs }: { lastsMs: number }) {
    this.#clock = clock;
    this.#lastsMs = lastsMs;
  }

  of(name: string, read: () => Promise<Value>): Promise<Value> {
    this.#dropOld();
    const shared = this.#readings.get(name);
    if (shared !== undefined) return shared.value;
    const reading = { begunAtMs: this.#clock.monotonicMs(), value: read() };
    this.#readings.set(name, reading);
    reading.value.catch(() => {
      if (this.#readings.get(name) === reading) this.#readings.delete(name);
    });
    return reading.value;
  }

  #dropOld(): void {
    const oldestMs = this.#clock.monotonicMs() - this.#lastsMs;
    for (const [name, { begunAtMs }] of this.#readings) {
      if (begunAtMs > oldestMs) return;
      this.#readings.delete(name);
    }
  }
}
