import { messageOf } from "../kernel/failure.ts";

/** The limit of agents that are read in parallel. A process that was cut off from its cluster may have to read thousands. */
const ANEW_AT_ONCE = 8;

/** Runs work on the stored states of agents: whether and where an agent is connected. Work on one agent runs in the order of the calls. */
export class StoredStates {
  readonly #storing = new Map<string, Promise<void>>();
  readonly #stale = new Set<string>();
  #readers = 0;

  has(name: string): boolean {
    return this.#storing.has(name);
  }

  /** Waits for the work on an agent that `store` was given before this call. */
  async of(name: string): Promise<void> {
    await this.#storing.get(name);
  }

  /** Runs work on an agent after its earlier work. Never rejects. */
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

  /** Reads agents again, a few in parallel. `read` must not reject. */
  anew(names: Iterable<string>, read: (name: string) => Promise<void>): void {
    for (const name of names) this.#stale.add(name);
    while (this.#readers < Math.min(ANEW_AT_ONCE, this.#stale.size)) void this.#readStale(read);
  }

  /** Waits for all work given to `store`, also work given meanwhile. Does not wait for `anew`. */
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
