import type { Clock } from "../../src/kernel/clock.ts";

/** What may happen to a process at one of its awaits. */
export type Fate = "live" | "die-before" | "die-after";

/**
 * One life of the server's process. Every await on the world goes through `pass`, and every timer through the life's
 * clock. When the process is dead, none of its code goes on and none of its promises settles, as after kill -9.
 */
export class Life {
  readonly #fateOf: (point: string) => Fate;
  readonly died: Promise<void>;
  #die: () => void;
  #alive = true;

  constructor(fateOf: (point: string) => Fate) {
    this.#fateOf = fateOf;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.died = promise;
    this.#die = resolve;
  }

  get alive(): boolean {
    return this.#alive;
  }

  kill(): void {
    this.#alive = false;
    this.#die();
  }

  /** An await of the process. Work of the world that had begun when the process died goes on, but the process never learns of it. */
  async pass<T>(point: string, effect: () => Promise<T>): Promise<T> {
    if (!this.#alive) return never();
    const fate = this.#fateOf(point);
    if (fate === "die-before") {
      this.kill();
      return never();
    }
    const value = await this.#reaction(effect());
    if (fate === "die-after") this.kill();
    return this.#alive ? value : never();
  }

  /** A moment at which the process awaits nothing and may die. Returns false when it is dead. */
  survives(point: string): boolean {
    if (this.#alive && this.#fateOf(point) !== "live") this.kill();
    return this.#alive;
  }

  /** The process's clock; its wall clock may be set by somebody at its machine. */
  clock(world: Clock, wallOffsetMs: () => number = () => 0): Clock {
    return {
      nowMs: () => world.nowMs() + wallOffsetMs(),
      monotonicMs: () => world.monotonicMs(),
      after: (delayMs, callback) =>
        world.after(delayMs, () => {
          if (this.#alive) callback();
        }),
    };
  }

  /** A dead process does not get an error either. */
  async #reaction<T>(effect: Promise<T>): Promise<T> {
    try {
      return await effect;
    } catch (error) {
      if (!this.#alive) return never();
      throw error;
    }
  }
}

function never<T>(): Promise<T> {
  return new Promise(() => {});
}
