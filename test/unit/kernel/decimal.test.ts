import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { divideHalfUp, formatDecimal, parseDecimal, scaleTo } from "../../../src/kernel/decimal.ts";

function shortest(text: string): string | undefined {
  const value = parseDecimal(text);
  return value === undefined ? undefined : formatDecimal(value);
}

describe("a decimal number", () => {
  it("is read exactly and written in its shortest form", () => {
    const forms = {
      "12": "12",
      "12.50": "12.5",
      "-0.5": "-0.5",
      "+7": "7",
      "007": "7",
      "1e3": "1000",
      "1.5E-2": "0.015",
      "12.5e1": "125",
      "-0": "0",
      "0.000": "0",
      "100": "100",
    };
    for (const [text, form] of Object.entries(forms)) expect(shortest(text), text).toBe(form);
    expect(shortest("0.1")).toBe("0.1");
    expect(shortest("99999999999999999999.000000000000000001")).toBe("99999999999999999999.000000000000000001");
  });

  it("is nothing else", () => {
    const others = [
      "",
      " ",
      "1 000",
      "1,5",
      ".5",
      "5.",
      "-",
      "NaN",
      "Infinity",
      "0x10",
      "1e",
      "1e400",
      "1e31",
      "--1",
      "1.2.3",
      "١",
      "1\n",
      "null",
    ];
    for (const text of others) expect(parseDecimal(text), JSON.stringify(text)).toBeUndefined();
    expect(parseDecimal("9".repeat(65))).toBeUndefined();
    expect(parseDecimal("9".repeat(64))).toBeDefined();
  });

  it("survives writing and reading", () => {
    fc.assert(
      fc.property(fc.bigInt(-(10n ** 30n), 10n ** 30n), fc.nat(25), (units, decimals) => {
        const text = formatDecimal({ units, decimals });
        const again = parseDecimal(text);
        expect(again).toBeDefined();
        expect((again?.units ?? 0n) * 10n ** BigInt(decimals - (again?.decimals ?? 0))).toBe(units);
      }),
    );
  });

  it("is scaled to whole steps, or not at all when something would be lost", () => {
    expect(scaleTo({ units: 125n, decimals: 1 }, 2)).toBe(1250);
    expect(scaleTo({ units: 125n, decimals: 3 }, 2)).toBeUndefined();
    expect(scaleTo({ units: 2n ** 53n, decimals: 0 }, 0)).toBeUndefined();
    expect(scaleTo({ units: 2n ** 53n - 1n, decimals: 0 }, 0)).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe("division with rounding", () => {
  it("rounds halves away from zero", () => {
    const quotients = [
      [1n, 2n, 1n],
      [-1n, 2n, -1n],
      [1n, -2n, -1n],
      [-1n, -2n, 1n],
      [3n, 2n, 2n],
      [1n, 3n, 0n],
      [-1n, 3n, 0n],
      [2n, 3n, 1n],
      [0n, 7n, 0n],
    ] as const;
    for (const [numerator, denominator, quotient] of quotients) expect(divideHalfUp(numerator, denominator)).toBe(quotient);
  });

  it("is never more than half off", () => {
    fc.assert(
      fc.property(fc.bigInt(-(10n ** 20n), 10n ** 20n), fc.bigInt(1n, 10n ** 12n), (numerator, denominator) => {
        const off = 2n * (numerator - divideHalfUp(numerator, denominator) * denominator);
        expect(off <= denominator && off >= -denominator).toBe(true);
      }),
    );
  });
});
