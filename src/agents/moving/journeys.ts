import type { Clock } from "../../kernel/clock.ts";
import { Waiters } from "./waiters.ts";

/** How long an agent is awaited that its process has sent on, or whose process has ended. It dials again within a second. */
const AWAITED_MS = 5_000;

type Places = Readonly<Record<string, string>>;

/**
 * The agents on their way from one process to another. A sale for such an agent waits, because the agent will be connected in a moment. An
 * agent that has gone away by itself is not awaited.
 */
export class Journeys {
  readonly #clock: Clock;
  readonly #waiters: Waiters;
  /** Until when each agent is awaited. */
  readonly #untilMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#waiters = new Waiters(clock);
  }

  /** New work for the agent waits from now on, and the time does not run yet: its process still ends the work that has begun. */
  begin(agent: string): void {
    this.#untilMs.set(agent, Number.POSITIVE_INFINITY);
  }

  /** The agent was told to dial again. */
  sent(agent: string): void {
    this.#untilMs.set(agent, this.#clock.monotonicMs() + AWAITED_MS);
  }

  /** The agent is connected again, or need not be awaited any more. */
  over(agent: string): void {
    if (this.#untilMs.delete(agent)) this.#waiters.wake(agent);
  }

  allOver(): void {
    this.#untilMs.clear();
    this.#waiters.wakeAll();
  }

  /** Resolves when the agent is not awaited, or not any more. */
  async awaited(agent: string): Promise<void> {
    for (let leftMs = this.#leftMs(agent); leftMs > 0; leftMs = this.#leftMs(agent))
      await this.#waiters.wait(agent, Math.min(leftMs, AWAITED_MS));
    this.#untilMs.delete(agent);
  }

  /**
   * Compares where the agents were with where they are. An agent is awaited whose process keeps none: it leaves, is drained or was counted as
   * lost.
   */
  follow(before: Places, after: Places, { keeps, process }: { keeps: (process: string) => boolean; process: string | undefined }): void {
    for (const [agent, at] of Object.entries(before))
      if (after[agent] === undefined && !keeps(at) && !this.#untilMs.has(agent)) this.sent(agent);
    for (const agent of this.#untilMs.keys()) {
      const at = after[agent];
      if ((at !== undefined && at !== process) || this.#leftMs(agent) <= 0) this.over(agent);
    }
  }

  #leftMs(agent: string): number {
    return (this.#untilMs.get(agent) ?? Number.NEGATIVE_INFINITY) - this.#clock.monotonicMs();
  }
}
