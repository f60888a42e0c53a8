import { SeededRandom } from "../../seeded-random.ts";

/** The names of the faults on the command line. */
export const FAULT_NAMES = ["lost-answer", "burst-429", "html-error", "slow-answer", "late-lists"] as const;
export type FaultName = (typeof FAULT_NAMES)[number];

export interface Fault {
  readonly name: FaultName;
  /** The share of the requests that are struck, from 0 to 1. */
  readonly share: number;
}

/** The delay of a slow answer, and of new objects in lists. */
export const FAULT_DELAY_MS = 1_000;

/** Decides which requests a fault strikes. The same seed and the same sequence of requests give the same decisions. */
export class Faults {
  readonly #shares: ReadonlyMap<FaultName, number>;
  readonly #chances: ReadonlyMap<FaultName, SeededRandom>;
  readonly #struck = new Map<FaultName, number>();

  constructor(faults: readonly Fault[], seed: number) {
    this.#shares = new Map(faults.map(({ name, share }) => [name, share]));
    // Each fault has its own random sequence, so that the use of one fault does not change the decisions of another fault.
    this.#chances = new Map(FAULT_NAMES.map((name, index) => [name, new SeededRandom(seed * FAULT_NAMES.length + index)]));
  }

  /** Decides whether the fault strikes this request, and counts it if it does. */
  strikes(name: FaultName): boolean {
    const share = this.#shares.get(name);
    const chance = this.#chances.get(name);
    if (share === undefined || chance === undefined || chance.fraction() >= share) return false;
    this.#struck.set(name, (this.#struck.get(name) ?? 0) + 1);
    return true;
  }

  /** Returns how many requests each fault has struck. */
  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(FAULT_NAMES.map((name) => [name, this.#struck.get(name) ?? 0]));
  }
}
