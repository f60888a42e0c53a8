import type { Clock } from "../../../kernel/clock.ts";
import type { Stored } from "../values/stored.ts";
import type { ObjectsWatcher } from "./objects.ts";

/**
 * Hides some new objects from lists for a while, like a search index that lags behind. An object is hidden if `strikes` returns true. The
 * object's own address works immediately.
 */
export class LateLists implements ObjectsWatcher {
  readonly #clock: Clock;
  readonly #delayMs: number;
  readonly #strikes: () => boolean;
  readonly #late = new Map<string, number>();

  constructor(options: { clock: Clock; delayMs: number; strikes: () => boolean }) {
    this.#clock = options.clock;
    this.#delayMs = options.delayMs;
    this.#strikes = options.strikes;
  }

  changed(before: Stored | undefined, after: Stored | undefined): void {
    if (before !== undefined || after === undefined || !this.#strikes()) return;
    this.#late.set(keyOf(after), this.#clock.monotonicMs() + this.#delayMs);
  }

  shown(objects: readonly Stored[]): readonly Stored[] {
    const nowMs = this.#clock.monotonicMs();
    for (const [key, untilMs] of this.#late) if (untilMs <= nowMs) this.#late.delete(key);
    return this.#late.size === 0 ? objects : objects.filter((stored) => !this.#late.has(keyOf(stored)));
  }
}

function keyOf({ type, id }: Stored): string {
  return `${type}/${id}`;
}
