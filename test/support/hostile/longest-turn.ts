import { nextTurn } from "../../../src/kernel/clock.ts";
import { timesSlower } from "./yardstick.ts";

/**
 * The largest number of tries for a turn. Garbage collection and other programs on the machine make a single try longer, and the shortest
 * comes nearest to the work itself. Work without a bound exceeds the limit at each try.
 */
export const TRIES = 12;

/** The longest turn of the event loop, and the result of the work. */
export interface LongestTurn<T> {
  /** The processor time of this thread. Unlike elapsed time, it does not grow when the machine is busy. */
  cpuMs: number;
  result: T;
}

/** Measures each turn of the event loop while the work is under way. */
export async function longestTurn<T>(work: () => Promise<T>): Promise<LongestTurn<T>> {
  let done = false;
  let cpuMs = 0;
  const watch = async () => {
    while (!done) {
      const before = process.threadCpuUsage();
      await nextTurn();
      const { user, system } = process.threadCpuUsage(before);
      cpuMs = Math.max(cpuMs, (user + system) / 1_000);
    }
  };
  const watching = watch();
  try {
    const result = await work();
    done = true;
    await watching;
    return { cpuMs, result };
  } finally {
    done = true;
  }
}

/** The shortest of several tries, or the first one below the bound. A single longer try may be caused by garbage collection. */
export async function longestTurnBelow<T>(boundMs: number, tries: number, work: () => Promise<T>): Promise<LongestTurn<T>> {
  let best = await longestTurn(work);
  for (let attempt = 1; attempt < tries && best.cpuMs >= boundMs; attempt += 1) {
    const again = await longestTurn(work);
    if (again.cpuMs < best.cpuMs) best = again;
  }
  return best;
}

/** A longest turn, and the bound with which it was compared. */
export interface MeasuredTurn<T> extends LongestTurn<T> {
  allowedMs: number;
}

/**
 * The first of several tries that stays within the bound, or the try that comes nearest to it. The bound is for the reference
 * machine. A try above it is compared with the time that a machine as slow as this one is at that moment may take.
 */
export async function longestTurnWithin<T>(boundMs: number, tries: number, work: () => Promise<T>): Promise<MeasuredTurn<T>> {
  let best = await measured(boundMs, work);
  for (let attempt = 1; attempt < tries && best.cpuMs >= best.allowedMs; attempt += 1) {
    const again = await measured(boundMs, work);
    if (again.cpuMs / again.allowedMs < best.cpuMs / best.allowedMs) best = again;
  }
  return best;
}

async function measured<T>(boundMs: number, work: () => Promise<T>): Promise<MeasuredTurn<T>> {
  const turn = await longestTurn(work);
  return { ...turn, allowedMs: turn.cpuMs < boundMs ? boundMs : boundMs * timesSlower() };
}
