import { BoundedQueue } from "../kernel/bounded-queue.ts";

/**
 * Operations that may wait for one register. A till sends one at a time and a register takes a second or two. So a
 * longer queue means a register that hangs, and the cashier is refused at once instead of waiting.
 */
const MAX_WAITING = 32;

interface Lane {
  waiting: BoundedQueue<() => Promise<void>>;
  running: Promise<void>;
}

/** A place in a lane: `ahead` operations come first. */
export type Place<T> = { kind: "taken"; ahead: number; result: Promise<T> } | { kind: "full" };

/**
 * One lane for each register. Its turns run in the order of arrival, never two at once. Lanes are independent of each other. `PerKeyWork`
 * shares one result among callers; here every turn runs by itself.
 */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();

  /** Takes a place before anything is awaited, so that the order of arrival decides. */
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

  /** Resolves when the lane of this register has no work left. */
  async idleAt(register: string): Promise<void> {
    for (let lane = this.#lanes.get(register); lane !== undefined; lane = this.#lanes.get(register)) await lane.running;
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
