import { SeededRandom } from "../../seeded-random.ts";

/** The faults that a tester can set. The command line and the control line use these names. */
export const FAULT_NAMES = [
  "lost-answer",
  "error-after",
  "error-before",
  "slow-answer",
  "down",
  "busy",
  "no-notifications",
  "double-notifications",
  "early-notifications",
  "late-payment",
  "refund-refused",
  "strange-status",
  "wrong-amount",
  "new-field",
] as const;
export type FaultName = (typeof FAULT_NAMES)[number];

export interface Fault {
  readonly name: FaultName;
  /** The share of occasions on which the fault strikes, from 0 to 1. */
  readonly share: number;
}

/** Decides on which occasions a fault strikes. The same seed and the same occasions give the same result. */
export class Faults {
  #shares: ReadonlyMap<FaultName, number>;
  /** Each fault has its own series of random numbers. So the occasions of one fault stay the same when another fault is set or strikes. */
  readonly #chances: ReadonlyMap<FaultName, SeededRandom>;

  constructor(faults: readonly Fault[], seed: number) {
    this.#shares = sharesOf(faults);
    this.#chances = new Map(FAULT_NAMES.map((name, index) => [name, new SeededRandom(seed * FAULT_NAMES.length + index)]));
  }

  /** Replaces all faults that were set before. */
  replace(faults: readonly Fault[]): void {
    this.#shares = sharesOf(faults);
  }

  isSet(name: FaultName): boolean {
    return (this.#shares.get(name) ?? 0) > 0;
  }

  /** Draws a random number and says whether the fault strikes on this occasion. */
  strikes(name: FaultName): boolean {
    const share = this.#shares.get(name);
    const chance = this.#chances.get(name);
    return share !== undefined && chance !== undefined && chance.fraction() < share;
  }
}

function sharesOf(faults: readonly Fault[]): ReadonlyMap<FaultName, number> {
  return new Map(faults.map(({ name, share }) => [name, share]));
}
