import { SeededRandom } from "../../seeded-random.ts";

/** The faults that a tester can set, as named on the command line and the control line. */
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

/** Decides when faults strike. The same seed and the same occasions give the same result. */
export class Faults {
  #shares: ReadonlyMap<FaultName, number>;
  /** Each fault has a separate series of random numbers, so a fault never uses up the numbers of another fault. */
  readonly #chances: ReadonlyMap<FaultName, SeededRandom>;

  constructor(faults: readonly Fault[], seed: number) {
    this.#shares = sharesOf(faults);
    this.#chances = new Map(FAULT_NAMES.map((name, index) => [name, new SeededRandom(seed * FAULT_NAMES.length + index)]));
  }

  replace(faults: readonly Fault[]): void {
    this.#shares = sharesOf(faults);
  }

  isSet(name: FaultName): boolean {
    return (this.#shares.get(name) ?? 0) > 0;
  }

  /** Whether the fault strikes on this occasion. For a fault that is set, each call uses the next random number. */
  strikes(name: FaultName): boolean {
    const share = this.#shares.get(name);
    const chance = this.#chances.get(name);
    return share !== undefined && chance !== undefined && chance.fraction() < share;
  }
}

function sharesOf(faults: readonly Fault[]): ReadonlyMap<FaultName, number> {
  return new Map(faults.map(({ name, share }) => [name, share]));
}
