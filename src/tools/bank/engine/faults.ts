import { SeededRandom } from "../../seeded-random.ts";

/** What may be made to go wrong. The names are part of the command line and the control line. */
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
  /** Of the occasions on which it could strike, 0 to 1. */
  readonly share: number;
}

/** Decides on which occasions a fault strikes. The same seed and the same occasions give the same result. */
export class Faults {
  #shares: ReadonlyMap<FaultName, number>;
  /** Each fault has its own row of random numbers, so a further fault does not change where the others strike. */
  readonly #chances: ReadonlyMap<FaultName, SeededRandom>;

  constructor(faults: readonly Fault[], seed: number) {
    this.#shares = sharesOf(faults);
    this.#chances = new Map(FAULT_NAMES.map((name, index) => [name, new SeededRandom(seed * FAULT_NAMES.length + index)]));
  }

  /** Puts these in the place of all faults so far. */
  replace(faults: readonly Fault[]): void {
    this.#shares = sharesOf(faults);
  }

  isSet(name: FaultName): boolean {
    return (this.#shares.get(name) ?? 0) > 0;
  }

  /** Draws for one occasion. */
  strikes(name: FaultName): boolean {
    const share = this.#shares.get(name);
    const chance = this.#chances.get(name);
    return share !== undefined && chance !== undefined && chance.fraction() < share;
  }
}

function sharesOf(faults: readonly Fault[]): ReadonlyMap<FaultName, number> {
  return new Map(faults.map(({ name, share }) => [name, share]));
}
