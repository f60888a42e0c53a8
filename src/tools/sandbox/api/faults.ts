import { SeededRandom } from "../../seeded-random.ts";

/** What may be made to go wrong. The names are part of the command line. */
export const FAULT_NAMES = ["lost-answer", "burst-429", "html-error", "slow-answer", "late-lists"] as const;
export type FaultName = (typeof FAULT_NAMES)[number];

export interface Fault {
  readonly name: FaultName;
  /** Of the requests that it could strike, 0 to 1. */
  readonly share: number;
}

/** How much later a slow answer comes, and new objects enter lists. */
export const FAULT_DELAY_MS = 1_000;

/** Decides which requests are struck: the same seed and the same row of requests give the same ones. */
export class Faults {
  readonly #shares: ReadonlyMap<FaultName, number>;
  readonly #chances: ReadonlyMap<FaultName, SeededRandom>;
  readonly #struck = new Map<FaultName, number>();

  constructor(faults: readonly Fault[], seed: number) {
    this.#shares = new Map(faults.map(({ name, share }) => [name, share]));
    // A row of its own for each: one fault more or less does not move the others.
    this.#chances = new Map(FAULT_NAMES.map((name, index) => [name, new SeededRandom(seed * FAULT_NAMES.length + index)]));
  }

  /** Draws for one request that the fault could strike. */
  strikes(name: FaultName): boolean {
    const share = this.#shares.get(name);
    const chance = this.#chances.get(name);
    if (share === undefined || chance === undefined || chance.fraction() >= share) return false;
    this.#struck.set(name, (this.#struck.get(name) ?? 0) + 1);
    return true;
  }

  /** How many each has struck. */
  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(FAULT_NAMES.map((name) => [name, this.#struck.get(name) ?? 0]));
  }
}
