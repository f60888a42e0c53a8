import type { VatCode } from "../../../../model/tax.ts";

/** The codes of tag 1199 by the byte of the rate in FF46 (reference 10.1). */
const RATES: Readonly<Record<number, VatCode>> = {
  1: 1,
  2: 2,
  4: 5,
  8: 6,
  16: 3,
  32: 4,
  129: 7,
  130: 8,
  132: 9,
  136: 10,
  203: 11,
  204: 12,
};

/** While T17F71 is 1, a rate of 20 % is stored as 22 % (reference chapter 15). */
const REPLACED: Readonly<Partial<Record<VatCode, VatCode>>> = { 1: 11, 3: 12 };

interface RateOptions {
  /** T17F71: whether 20 % is registered as 22 %. */
  replaces20: boolean;
  /**
   * Whether the device is a Nano. A Nano also accepts 90h for 22 % and A0h for 22/122, beside CBh and CCh. Other models accept 90h for
   * 7/107, as one vendor's table says, and do not accept A0h.
   */
  nano: boolean;
}

/** Returns the code of tag 1199 for the byte of a rate. Undefined for an unknown byte. */
export function vatOf(rate: number, { replaces20, nano }: RateOptions): VatCode | undefined {
  if (rate === 0x90) return nano ? 11 : 10;
  if (rate === 0xa0 && nano) return 12;
  const code = RATES[rate];
  return code === undefined || !replaces20 ? code : (REPLACED[code] ?? code);
}

/** Returns the codes of the six taxes of FF45, then the codes of the four newer ones. */
export function closingCodes({ replaces20 }: Pick<RateOptions, "replaces20">): readonly VatCode[] {
  return replaces20 ? [11, 2, 5, 6, 12, 4, 7, 8, 9, 10] : [1, 2, 5, 6, 3, 4, 7, 8, 9, 10];
}
