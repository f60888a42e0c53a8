import type { VatCode } from "../../../../model/tax.ts";

/** Tag 1199 by the rate byte of FF46 (shtrih-protocol 10.1). */
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

/** While T17F71 is 1, a rate of 20 % is stored as 22 %, and 20/120 as 22/122 (shtrih-protocol 15). */
const REPLACED: Readonly<Partial<Record<VatCode, VatCode>>> = { 1: 11, 3: 12 };

interface RateOptions {
  /** T17F71: whether 20 % is registered as 22 %. */
  replaces20: boolean;
  /**
   * Whether the device is a Nano. Besides CBh and CCh, a Nano accepts 90h for 22 % and A0h for 22/122. Other models accept 90h for 7/107,
   * as in one vendor's table, and refuse A0h.
   */
  nano: boolean;
}

/** Returns tag 1199 for a rate byte. Undefined: the byte is unknown. */
export function vatOf(rate: number, { replaces20, nano }: RateOptions): VatCode | undefined {
  if (rate === 0x90) return nano ? 11 : 10;
  if (rate === 0xa0 && nano) return 12;
  const code = RATES[rate];
  return code === undefined || !replaces20 ? code : (REPLACED[code] ?? code);
}

/** Returns the codes of FF45's six taxes, then of the four newer taxes. */
export function closingCodes({ replaces20 }: Pick<RateOptions, "replaces20">): readonly VatCode[] {
  return replaces20 ? [11, 2, 5, 6, 12, 4, 7, 8, 9, 10] : [1, 2, 5, 6, 3, 4, 7, 8, 9, 10];
}
