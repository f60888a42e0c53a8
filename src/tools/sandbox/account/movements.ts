import type { Stored } from "../values/stored.ts";
import type { ObjectsWatcher } from "./objects.ts";

/** What stock is made of: documents that move or hold back goods, what the shop began with, and what bundles consist of. */
const SOURCES: ReadonlySet<string> = new Set(["openingstock", "retaildemand", "retailsalesreturn", "customerorder", "bundle"]);

/** What was computed, and until which moment it holds by itself: a document of the future counts when its moment comes. */
interface Kept<T> {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly value: T;
}

/**
 * Keeps what was computed from the movements of goods until one of them changes: a list of goods asks for their stock with
 * every page, and most pages come between two sales.
 */
export class Movements implements ObjectsWatcher {
  #kept: Kept<unknown> | undefined;

  changed(before: Stored | undefined, after: Stored | undefined): void {
    if (SOURCES.has((after ?? before)?.type ?? "")) this.#kept = undefined;
  }

  /** The value as of the moment; `make` says with it until when it holds. Always asked for the same thing. */
  at<T>(nowMs: number, make: () => { readonly value: T; readonly untilMs: number }): T {
    if (this.#kept === undefined || nowMs < this.#kept.fromMs || nowMs >= this.#kept.untilMs) this.#kept = { ...make(), fromMs: nowMs };
    return this.#kept.value as T;
  }
}
