import { BoundedQueue } from "../kernel/bounded-queue.ts";

/**
 * How many operations may wait for one register. A till sends one at a time and a register takes a second
 * or two, so more than this means a register that hangs: the cashier learns it at once instead of waiting.
 */
const MAX_WAITING = 32;

interface Lane {
  waiting: BoundedQueue<() => Promise<void>>;
  running: Promise<void>;
}

/** A place in a lane: `ahead` operations come first. */
export type Place<T> = { kind: "taken"; ahead: number; result: Promise<T> } | { kind: "full" };

/**
 * One lane a register: turns in order of arrival, never two at once; lanes do not know each other.
 * Unlike work that is shared by its key (`PerKeyWork`), each turn is its own, and the next one waits for its place.
 */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();

  /** Takes a place at once, before anything is awaited, so that arrival decides the order. */
  enter<T>(register: string, turn: () => Promise<T>): Place<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const work = () => turn().then(resolve, reject);
    const lane = this.#lanes.get(register);
    if (lane === undefined) {
      this.#start(register, work);
      return { kind: "taken", ahead: 0, result: promise };
    }
    const ahead = lane.waiting.size + 1;
    return lane.waiting.offer(work) ? { kind: "taken", ahead, result: promise } : { kind: "full" };
  }

  isBusy(register: string): boolean {
    return this.#lanes.has(register);
  }

  /** Registers at work and how many operations wait for each. */
  depths(): { register: string; waiting: number }[] {
    return [...this.#lanes].map(([register, lane]) => ({ register, waiting: lane.waiting.size }));
  }

  /** Resolves when no lane has work left. */
  async idle(): Promise<void> {
    while (this.#lanes.size > 0) await Promise.all([...this.#lanes.values()].map((lane) => lane.running));
  }

  #start(register: string, first: () => Promise<void>): void {
    const waiting = new BoundedQueue<() => Promise<void>>(MAX_WAITING);
    const drain = async () => {
      for (let work: (() => Promise<void>) | undefined = first; work !== undefined; work = waiting.take()) await work();
      this.#lanes.delete(register);
    };
    const lane: Lane = { waiting, running: Promise.resolve() };
    this.#lanes.set(register, lane);
    lane.running = drain();
  }
}
