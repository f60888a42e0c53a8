import type { Clock } from "../../kernel/clock.ts";
import { Waiters } from "./waiters.ts";

/** How long to wait for an agent that is moving. An agent that was told to dial again usually connects within a second. */
const AWAITED_MS = 5_000;

type Places = Readonly<Record<string, string>>;

/**
 * The agents that are moving between processes. New work at a register of such an agent waits. An agent that disconnected by itself is not
 * waited for.
 */
export class Journeys {
  readonly #clock: Clock;
  readonly #waiters: Waiters;
  /** When each agent's wait ends, in monotonic ms. */
  readonly #untilMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#waiters = new Waiters(clock);
  }

  /**
   * New work for the agent waits from now on. The wait has no limit yet, because the running work at the agent's registers must end first.
   */
  begin(agent: string): void {
    this.#untilMs.set(agent, Number.POSITIVE_INFINITY);
  }

  /** The agent was told to dial again. The limit of the wait starts. */
  sent(agent: string): void {
    this.#untilMs.set(agent, this.#clock.monotonicMs() + AWAITED_MS);
  }

  /** The agent is connected again, or the wait is given up. */
  over(agent: string): void {
    if (this.#untilMs.delete(agent)) this.#waiters.wake(agent);
  }

  allOver(): void {
    this.#untilMs.clear();
    this.#waiters.wakeAll();
  }

  /** Resolves when no wait for the agent is running. */
  async awaited(agent: string): Promise<void> {
    for (let leftMs = this.#leftMs(agent); leftMs > 0; leftMs = this.#leftMs(agent))
      await this.#waiters.wait(agent, Math.min(leftMs, AWAITED_MS));
    this.#untilMs.delete(agent);
  }

  /**
   * Compares the old and the new places of agents (`before`, `after`): the process of each connected agent. Starts a wait for an agent that
   * has no place any more and whose process no longer keeps agents: the process stops, is drained or was counted as lost. A wait ends when
   * its agent is connected to another process, or when its time is over.
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
