import type { Stored } from "../values/stored.ts";
import type { ObjectsWatcher } from "./objects.ts";

/** Stock is computed from these types: documents that move or reserve goods, the opening stock, and bundles. */
const SOURCES: ReadonlySet<string> = new Set(["openingstock", "retaildemand", "retailsalesreturn", "customerorder", "bundle"]);

/** A computed value and its period of validity. The period ends at the next future document, which counts only from its own moment. */
interface Kept<T> {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly value: T;
}

/**
 * Caches the value computed from the movements of goods, until a movement changes or the value's period ends. Every page of a goods list
 * asks for the stock, and most pages come between two sales.
 */
export class Movements implements ObjectsWatcher {
  #kept: Kept<unknown> | undefined;

  changed(before: Stored | undefined, after: Stored | undefined): void {
    if (SOURCES.has((after ?? before)?.type ?? "")) this.#kept = undefined;
  }

  /** Returns the value for the moment. `make` computes the value and its end of validity. Every call must ask for the same value. */
  at<T>(nowMs: number, make: () => { readonly value: T; readonly untilMs: number }): T {
    if (this.#kept === undefined || nowMs < this.#kept.fromMs || nowMs >= this.#kept.untilMs) this.#kept = { ...make(), fromMs: nowMs };
    return this.#kept.value as T;
  }
}
