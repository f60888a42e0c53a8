import type { Clock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import { Rounds } from "../kernel/rounds.ts";
import { type ConcernAbout, concernsOf } from "../model/concerns.ts";
import type { SeenRegister } from "./metrics.ts";

/** The pause between checks. The values change slowly, and a check reads only memory. */
const INTERVAL_MS = 60_000;
/** How long a value must stay on the right side of a bound before a new crossing is reported. A value near a bound may cross it often. */
const CALM_MS = 3_600_000;

interface ConcernLogServices {
  registers(): SeenRegister[];
  clock: Clock;
  log: Log;
}

interface Warning {
  about: ConcernAbout;
  bound: number;
  /** When the value was last beyond the bound. */
  atMs: number;
}

/** Logs the causes that stop a register now or will stop it, often weeks ahead. A crossed bound gives one line. */
export class ConcernLog {
  readonly #services: ConcernLogServices;
  readonly #rounds: Rounds;
  readonly #warnings = new Map<string, Warning>();

  constructor(services: ConcernLogServices) {
    this.#services = services;
    this.#rounds = new Rounds(services.clock, INTERVAL_MS, async () => this.#look());
  }

  start(): void {
    this.#rounds.start();
  }

  close(): Promise<void> {
    return this.#rounds.close();
  }

  #look(): void {
    const { registers, clock } = this.#services;
    const nowMs = clock.monotonicMs();
    for (const seen of registers()) {
      this.#warn(seen, nowMs);
      this.#calm(seen.register, nowMs);
    }
  }

  #warn({ register, reserves }: SeenRegister, nowMs: number): void {
    const { log } = this.#services;
    for (const { about, bound, weight, words, remedy } of concernsOf(reserves)) {
      const key = keyOf(register, about);
      const last = this.#warnings.get(key);
      if (last !== undefined && bound < last.bound) continue;
      this.#warnings.set(key, { about, bound, atMs: nowMs });
      if (last?.bound === bound) continue;
      log[weight === "stops-now" ? "error" : "warn"]({ register, about, remedy }, words);
    }
  }

  /** Allows a new report of values that have stayed within their bounds for a while. */
  #calm(register: string, nowMs: number): void {
    for (const [key, { about, atMs }] of this.#warnings) {
      if (key !== keyOf(register, about) || nowMs - atMs < CALM_MS) continue;
      this.#warnings.delete(key);
    }
  }
}

function keyOf(register: string, about: ConcernAbout): string {
  return `${about} ${register}`;
}
