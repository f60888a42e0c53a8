import type { Clock } from "../../kernel/clock.ts";

/** Callers that wait for an event of an agent. */
export class Waiters {
  readonly #clock: Pick<Clock, "after">;
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
  }

  /** Resolves when the agent's waiters are woken, or after `limitMs`. */
  wait(agent: string, limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(agent) ?? new Set();
      const done = () => {
        cancel();
        waiting.delete(done);
        if (waiting.size === 0) this.#waiting.delete(agent);
        resolve();
      };
      const cancel = this.#clock.after(limitMs, done);
      waiting.add(done);
      this.#waiting.set(agent, waiting);
    });
  }

  wake(agent: string): void {
    for (const done of [...(this.#waiting.get(agent) ?? [])]) done();
  }

  wakeAll(): void {
    for (const agent of [...this.#waiting.keys()]) this.wake(agent);
  }
}
