import { describe, expect, it } from "vitest";
import { crc16, deviceNumbers, isInn, registrationNumber } from "../../../../src/registers/virtual/numbers.ts";

describe("numbers of registers and drives", () => {
  it("computes the check value of ASCII 123456789 as the standard gives it", () => {
    expect(crc16(Buffer.from("123456789"))).toBe(0x29b1);
  });

  it.each([
    ["42", "9600123459", "99990000000017", "0000000042042817"],
    ["57", "960012345605", "99990000000025", "0000000057057761"],
  ])("makes the registration number of registry number %s as fiscal-receipts 3.3 does", (registryNumber, inn, serialNumber, expected) => {
    expect(registrationNumber(registryNumber, inn, serialNumber)).toBe(expected);
  });

  it.each(["9600123459", "960012345605"])("accepts the check digits of INN %s", (inn) => {
    expect(isInn(inn)).toBe(true);
  });

  it.each(["9600123458", "960012345606", "960012345615", "960012345", "", "96001234599", "960012345a"])("rejects INN «%s»", (inn) => {
    expect(isInn(inn)).toBe(false);
  });

  it("gives each name its own debug numbers, the same every time", () => {
    const secret = Buffer.alloc(32, 1);
    const names = ["kassa-1", "kassa-2", "a", "b", "магазин"];
    const made = names.map((name) => deviceNumbers(name, secret, "9600123459"));
    expect(names.map((name) => deviceNumbers(name, secret, "9600123459"))).toEqual(made);
    expect(new Set(made.map((numbers) => numbers.driveNumber)).size).toBe(names.length);
    expect(new Set(made.map((numbers) => numbers.serialNumber)).size).toBe(names.length);
    for (const numbers of made) {
      expect(numbers.driveNumber).toMatch(/^9999078\d{9}$/);
      expect(numbers.serialNumber).toMatch(/^9999\d{10}$/);
      const { registrationNumber: made, serialNumber } = numbers;
      expect(made).toBe(registrationNumber(made.slice(0, 10), "9600123459", serialNumber));
    }
  });

  it("gives the same name other numbers under another secret", () => {
    const [one, two] = [1, 2].map((byte) => deviceNumbers("kassa", Buffer.alloc(32, byte), "9600123459"));
    expect(one?.driveNumber).not.toBe(two?.driveNumber);
  });
});
