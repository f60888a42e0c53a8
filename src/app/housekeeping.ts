import type { Journal } from "../journal/journal.ts";
import type { Clock } from "../kernel/clock.ts";
import { messageOf } from "../kernel/failure.ts";
import type { Log } from "../kernel/log.ts";
import { type OnlyHere, Rounds } from "../kernel/rounds.ts";

/**
 * How long answers are kept. Interface 5 asks for 30 days; with a quarter of a year, questions about last month's report can be
 * answered too.
 */
const ANSWERS_KEPT_MS = 90 * 86_400_000;
const INTERVAL_MS = 6 * 3_600_000;

interface HousekeepingServices {
  journal: Journal;
  clock: Clock;
  log: Log;
  /** Absent: no other process does the work. */
  onlyHere?: OnlyHere;
}

/** Deletes the bytes of old answers. Keys and facts are never deleted, so an answer can be made again. */
export class Housekeeping {
  readonly #services: HousekeepingServices;
  readonly #rounds: Rounds;

  constructor(services: HousekeepingServices) {
    this.#services = services;
    this.#rounds = new Rounds(services.clock, INTERVAL_MS, () => this.#sweep(), services.onlyHere);
  }

  start(): void {
    this.#rounds.start();
  }

  close(): Promise<void> {
    return this.#rounds.close();
  }

  async #sweep(): Promise<void> {
    const { journal, clock, log } = this.#services;
    try {
      const dropped = await journal.dropAnswersBefore(clock.nowMs() - ANSWERS_KEPT_MS);
      if (dropped > 0) log.info({ dropped }, "old answers dropped; their facts stay");
    } catch (error) {
      log.error({ error: messageOf(error) }, "old answers could not be dropped");
    }
  }
}
