import { randomBytes, randomUUID } from "node:crypto";

/** A source of time. Code that waits or reads the time takes a clock as an argument. */
export interface Clock {
  /** Milliseconds since the Unix epoch. May jump when the machine's clock is set. */
  nowMs(): number;
  /** Milliseconds of a clock that never goes back, for deadlines and durations. */
  monotonicMs(): number;
  /** Calls back once after the delay, unless the returned function is called first. */
  after(delayMs: number, callback: () => void): () => void;
}

/** A source of random values. */
export interface Chance {
  bytes(count: number): Buffer;
  uuid(): string;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

/** The system's clock with its wall time moved ahead, for tests of expiry across a restart. The monotonic time is not moved. */
export function clockAhead(aheadMs: number): Clock {
  return aheadMs === 0 ? systemClock : { ...systemClock, nowMs: () => Date.now() + aheadMs };
}

export const systemChance: Chance = {
  bytes: (count) => randomBytes(count),
  uuid: () => randomUUID(),
};

/** Resolves after the event loop has done other work that is ready, such as reading network answers. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Resolves after the delay, or as soon as the signal is aborted. It never rejects, so the caller must check the signal itself. */
export function pause(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const finish = () => {
      cancel();
      signal?.removeEventListener("abort", finish);
      resolve();
    };
    const cancel = clock.after(delayMs, finish);
    signal?.addEventListener("abort", finish, { once: true });
  });
}
