/** Marks a number in JSON text, so that the quotes around the number can be removed later. No name at a till contains this character. */
const MARK = "\u0001";
const MARKED = /"\\u0001(-?\d+(?:\.\d+)?)\\u0001"/g;

/** A number that JSON shows with fixed decimals, such as 96.00 or 3.000. */
export class FixedDecimal {
  readonly #steps: number;
  readonly #decimals: number;

  /** `steps` is the number in units of the last decimal. */
  constructor(steps: number, decimals: number) {
    this.#steps = steps;
    this.#decimals = decimals;
  }

  toJSON(): string {
    return `${MARK}${(this.#steps / 10 ** this.#decimals).toFixed(this.#decimals)}${MARK}`;
  }
}

/** Roubles with two decimals. */
export function roubleNumber(kopecks: number): FixedDecimal {
  return new FixedDecimal(kopecks, 2);
}

/** A quantity with three decimals. */
export function quantityNumber(thousandths: number): FixedDecimal {
  return new FixedDecimal(thousandths, 3);
}

/** Returns the body of a call. Its numbers have the decimals of the platform (platform-contracts 6.5). */
export function loyaltyJson(value: object): Buffer {
  return Buffer.from(JSON.stringify(value).replaceAll(MARKED, "$1"));
}
