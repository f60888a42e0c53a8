import { nextTurn } from "../../../src/kernel/clock.ts";
import { timesSlower } from "./yardstick.ts";

/** How long the event loop stood still at most, and what the work brought. */
export interface LongestTurn<T> {
  /** Of this thread's own time on a processor: a busy machine lets it wait, and does not make it work more. */
  cpuMs: number;
  result: T;
}

/** Looks at each turn of the event loop while the work is under way. */
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

/** The shortest of some tries, and of one where that is below the bound: what only now and then takes longer is collection of garbage. */
export async function longestTurnBelow<T>(boundMs: number, tries: number, work: () => Promise<T>): Promise<LongestTurn<T>> {
  let best = await longestTurn(work);
  for (let attempt = 1; attempt < tries && best.cpuMs >= boundMs; attempt += 1) {
    const again = await longestTurn(work);
    if (again.cpuMs < best.cpuMs) best = again;
  }
  return best;
}

/** A longest turn, and how long it may be on this machine at present. */
export interface MeasuredTurn<T> extends LongestTurn<T> {
  allowedMs: number;
}

/**
 * The first of some tries that stays within the bound, else the one that comes nearest to it. The bound is meant for the reference
 * machine. A try beyond it is compared with what a machine as slow as this one is at that moment may take.
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
