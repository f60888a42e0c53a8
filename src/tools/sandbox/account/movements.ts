import type { Stored } from "../values/stored.ts";
import type { ObjectsWatcher } from "./objects.ts";

/** Types of the objects that stock is computed from: documents that move or reserve goods, the opening stock, and bundles. */
const SOURCES: ReadonlySet<string> = new Set(["openingstock", "retaildemand", "retailsalesreturn", "customerorder", "bundle"]);

/**
 * A computed value and the period in which it is valid, as long as no document changes. The period ends at the next future moment of
 * a document, because the document counts only from that moment.
 */
interface Kept<T> {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly value: T;
}

/**
 * Keeps the value that was computed from the movements of goods until a movement changes. A list of goods asks for the stock with every
 * page, and most pages come between two sales.
 */
export class Movements implements ObjectsWatcher {
  #kept: Kept<unknown> | undefined;

  changed(before: Stored | undefined, after: Stored | undefined): void {
    if (SOURCES.has((after ?? before)?.type ?? "")) this.#kept = undefined;
  }

  /**
   * Returns the value for the moment. `make` computes the value and says until when it is valid. Every call must ask for the
   * same value.
   */
  at<T>(nowMs: number, make: () => { readonly value: T; readonly untilMs: number }): T {
    if (this.#kept === undefined || nowMs < this.#kept.fromMs || nowMs >= this.#kept.untilMs) this.#kept = { ...make(), fromMs: nowMs };
    return this.#kept.value as T;
  }
}
