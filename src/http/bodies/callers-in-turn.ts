import type { Clock } from "../../kernel/clock.ts";

interface Waiting {
  bytes: number;
  admit(): void;
}

/** Bodies that wait, by caller. One body of each caller is taken in rotation, however many bodies one caller has sent. */
export class CallersInTurn {
  readonly #clock: Clock;
  readonly #limitMs: number;
  /** The callers in the order of their turns: the first caller is next. The bodies of a caller are in the order of their arrival. */
  readonly #waiting = new Map<string, Waiting[]>();

  /** `limitMs`: the longest wait of a body. */
  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  /** Waits until the body is taken and admitted. False: the wait was too long. */
  wait(caller: string, bytes: number): Promise<boolean> {
    return new Promise((resolve) => {
      const waiting: Waiting = {
        bytes,
        admit: () => {
          cancel();
          resolve(true);
        },
      };
      const cancel = this.#clock.after(this.#limitMs, () => {
        this.#forget(caller, waiting);
        resolve(false);
      });
      const others = this.#waiting.get(caller);
      if (others === undefined) this.#waiting.set(caller, [waiting]);
      else others.push(waiting);
    });
  }

  countOf(caller: string): number {
    return this.#waiting.get(caller)?.length ?? 0;
  }

  /** Removes the oldest body of the next caller. The caller's further bodies move behind all other callers. Undefined: no body waits. */
  take(): Waiting | undefined {
    const [next] = this.#waiting;
    if (next === undefined) return undefined;
    const [caller, bodies] = next;
    const taken = bodies.shift();
    this.#waiting.delete(caller);
    if (bodies.length > 0) this.#waiting.set(caller, bodies);
    return taken;
  }

  #forget(caller: string, gone: Waiting): void {
    const left = (this.#waiting.get(caller) ?? []).filter((body) => body !== gone);
    if (left.length === 0) this.#waiting.delete(caller);
    else this.#waiting.set(caller, left);
  }
}
