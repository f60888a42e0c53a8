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

  add(clock: Pick<Clock, "monotonicMs">, apartMs: number): void {
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#countedMs < apartMs) return;
    this.#count += 1;
    this.#countedMs = nowMs;
  }
}
