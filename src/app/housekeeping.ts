import { NOTIFICATIONS_KEPT_MS } from "../accounts/shop/notification-work.ts";
import type { Journal } from "../journal/journal.ts";
import type { Clock } from "../kernel/clock.ts";
import { messageOf } from "../kernel/failure.ts";
import type { Log } from "../kernel/log.ts";
import { type OnlyHere, Rounds } from "../kernel/rounds.ts";
import type { DayParts, DayTable } from "../store/day-parts.ts";

/** How long answers are kept. Interface 5 demands 30 days; a quarter of a year also covers questions about last month's report. */
const ANSWERS_KEPT_MS = 90 * 86_400_000;
const INTERVAL_MS = 6 * 3_600_000;

/** The tables that are deleted by days, and how long their rows stay. Entries with their facts stay, so an answer can be made again. */
const KEPT_MS: Readonly<Record<DayTable, number>> = { day_answers: ANSWERS_KEPT_MS, day_notifications: NOTIFICATIONS_KEPT_MS };

interface HousekeepingServices {
  journal: Journal;
  days: DayParts;
  clock: Clock;
  log: Log;
  /** Tells whether this process may do the work now. Absent: this is the only process. */
  onlyHere?: OnlyHere;
}

/** Makes the parts of the tables for the coming days, and deletes old answers and old days of notifications. */
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
    for (const [table, keptMs] of Object.entries(KEPT_MS) as [DayTable, number][]) await this.#keepDays(table, keptMs);
    await this.#dropAnswers();
  }

  async #keepDays(table: DayTable, keptMs: number): Promise<void> {
    const { days, clock, log } = this.#services;
    try {
      const nowMs = clock.nowMs();
      await days.prepare(table, nowMs);
      const dropped = await days.dropBefore(table, nowMs - keptMs);
      if (dropped > 0) log.info({ table, dropped }, "old days were dropped whole");
    } catch (error) {
      // Until the next round tries again, rows go to the part for all days without a part of their own.
      log.warn({ table, error: messageOf(error) }, "the parts for days could not be made or dropped");
    }
  }

  /**
   * Deletes old answers that are not in dropped days: in SQLite all of them, in PostgreSQL those of the old table and of the part for all
   * days without a part of their own.
   */
  async #dropAnswers(): Promise<void> {
    const { journal, days, clock, log } = this.#services;
    try {
      const dropped = await journal.dropAnswersBefore(days.rowsBefore(clock.nowMs() - ANSWERS_KEPT_MS));
      if (dropped > 0) log.info({ dropped }, "old answers dropped; their facts stay");
    } catch (error) {
      log.error({ error: messageOf(error) }, "old answers could not be dropped");
    }
  }
}
