import { SeededRandom } from "../../seeded-random.ts";

/** The fault names on the command line. */
export const FAULT_NAMES = ["lost-answer", "burst-429", "html-error", "slow-answer", "late-lists"] as const;
export type FaultName = (typeof FAULT_NAMES)[number];

export interface Fault {
  readonly name: FaultName;
  /** The share of requests to strike, from 0 to 1. For `late-lists`, the share of new objects. */
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
    // Each fault has its own random sequence, so a fault never uses up the numbers of another fault.
    this.#chances = new Map(FAULT_NAMES.map((name, index) => [name, new SeededRandom(seed * FAULT_NAMES.length + index)]));
  }

  /** Whether the fault strikes this request. Counts a strike. */
  strikes(name: FaultName): boolean {
    const share = this.#shares.get(name);
    const chance = this.#chances.get(name);
    if (share === undefined || chance === undefined || chance.fraction() >= share) return false;
    this.#struck.set(name, (this.#struck.get(name) ?? 0) + 1);
    return true;
  }

  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(FAULT_NAMES.map((name) => [name, this.#struck.get(name) ?? 0]));
  }
}
