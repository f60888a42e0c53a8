import { messageOf } from "../kernel/failure.ts";

/** The largest number of agents that are read anew at the same time. A process that was cut off may have to read thousands of them. */
const ANEW_AT_ONCE = 8;

/** Work that reads or writes the stored states of agents. Work on one agent runs in the order of the calls, one after another. */
export class StoredStates {
  readonly #storing = new Map<string, Promise<void>>();
  /** The agents that wait to be read anew. */
  readonly #stale = new Set<string>();
  #readers = 0;

  /** Whether work on an agent is waiting or running. */
  has(name: string): boolean {
    return this.#storing.has(name);
  }

  /** Waits until the work on an agent that was given so far is done. */
  async of(name: string): Promise<void> {
    await this.#storing.get(name);
  }

  /** Does work on an agent after the earlier work on it. Never rejects. */
  store(name: string, work: () => Promise<void>, failed: (reason: string) => void): Promise<void> {
    const earlier = this.#storing.get(name) ?? Promise.resolve();
    const storing = earlier
      .then(work)
      .catch((error: unknown) => failed(messageOf(error)))
      .finally(() => {
        if (this.#storing.get(name) === storing) this.#storing.delete(name);
      });
    this.#storing.set(name, storing);
    return storing;
  }

  /** Reads agents anew, a few at a time. `read` never rejects. */
  anew(names: Iterable<string>, read: (name: string) => Promise<void>): void {
    for (const name of names) this.#stale.add(name);
    while (this.#readers < Math.min(ANEW_AT_ONCE, this.#stale.size)) void this.#readStale(read);
  }

  /** Waits until no work is left. */
  async done(): Promise<void> {
    while (this.#storing.size > 0) await Promise.all(this.#storing.values());
  }

  async #readStale(read: (name: string) => Promise<void>): Promise<void> {
    this.#readers += 1;
    for (const name of this.#stale) {
      this.#stale.delete(name);
      await read(name);
    }
    this.#readers -= 1;
  }
}
