import type { Clock } from "../clock.ts";

/**
 * Counts events that are some time apart. An event too soon after the last counted event does not count. The time is monotonic, so setting
 * the system's clock changes nothing. The count and the time are not stored: a new process counts from zero.
 */
export class SpacedCount {
  #count = 0;
  #countedMs = Number.NEGATIVE_INFINITY;

  get count(): number {
    return this.#count;
  }

  /** Returns whether the event counts. */
  add(clock: Pick<Clock, "monotonicMs">, apartMs: number): boolean {
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#countedMs < apartMs) return false;
    this.#count += 1;
    this.#countedMs = nowMs;
    return true;
  }
}
