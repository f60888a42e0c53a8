import { describe, expect, it } from "vitest";
import {
  bytesOf,
  CLOSE_SALE,
  CLOSE_SHIFT,
  COFFEE,
  DeviceTrial,
  OPEN_SALE,
  OPEN_SHIFT,
  STATUS,
} from "../../../../support/shtrih-m-device.ts";

const MODELS = ["desktop", "cashcore", "nano"] as const;
/** In the answer to F7h the bits come after the code and the error. */
const BITS_AT = 2;
const LAST_PRINT_BIT = 34n;
const STATUS_BYTES = 16;
/** The numbers of the tables for the drive, the operator and the format, at the end of the longest answer to F7h (shtrih-protocol 5.1). */
const TABLES_AT = 33;

describe.each(MODELS)("the %s device (shtrih-protocol 15)", (personality) => {
  it("has a byte more in 10h just where bit 34 of F7h says so", async () => {
    const host = (await DeviceTrial.begin({ personality })).connect();
    const parameters = bytesOf(await host.ask("F7 01"));
    const more = (parameters.readBigUInt64LE(BITS_AT) >> LAST_PRINT_BIT) & 1n;
    expect(bytesOf(await host.ask(STATUS))).toHaveLength(STATUS_BYTES + Number(more));
  });

  it("has its tables of drive and format where F7h says, or at the usual numbers", async () => {
    const host = (await DeviceTrial.begin({ personality })).connect();
    const told = bytesOf(await host.ask("F7 01")).subarray(TABLES_AT);
    const [drive = 18, , , format = 17, field = 17] = told;
    const hex = (byte: number) => byte.toString(16).padStart(2, "0");
    // T18F4, number of the drive, and the format 1.2, which is 4 (shtrih-protocol 6).
    expect(bytesOf(await host.ask(`1F 1E000000 ${hex(drive)} 0100 04`)).toString("latin1", 2)).toMatch(/^9999078\d{9}\0*$/);
    expect(await host.ask(`1F 1E000000 ${hex(format)} 0100 ${hex(field)}`)).toBe("1F 00 04");
  });

  it("adds the time to every answer that tells of a document, where T17F36 asks for it", async () => {
    const host = (await DeviceTrial.begin({ personality })).connect();
    const longest = async (...commands: string[]) => bytesOf(await host.all(...commands)).length;
    await host.all("1E 1E000000 11 0100 24 01");
    expect(await longest("FF0B 1E000000")).toBe(18);
    expect(await longest(OPEN_SALE, COFFEE, CLOSE_SALE)).toBe(21);
    expect(await longest("FF38 1E000000")).toBe(23);
    expect(await longest("FF43 1E000000")).toBe(18);
  });

  it.each([
    ["8D 01000000 00", "8D 00 01"],
    ["50 01000000 1027000000", "50 00"],
  ])("opens a shift by itself with %s only where the model does that", async (command, taken) => {
    const host = (await DeviceTrial.begin({ personality })).connect();
    const answer = await host.ask(command);
    if (personality === "cashcore") expect(answer.startsWith(taken)).toBe(true);
    else expect(answer).toBe(`${taken.slice(0, 2)} 3D`);
    expect((await host.ask("FF40 1E000000")).split(" ")[3]).toBe(personality === "cashcore" ? "01" : "00");
  });

  it("stays in its data output until a document is read to the end, but on Android", async () => {
    const host = (await DeviceTrial.begin({ personality })).connect();
    await host.all(OPEN_SHIFT, "FF3A 1E000000 02000000");
    expect((await host.ask(STATUS)).split(" ")[5]).toBe(personality === "cashcore" ? "02" : "01");
    expect(await host.ask(CLOSE_SHIFT)).toBe(personality === "cashcore" ? "41 00 1E" : "41 73");
  });
});

describe("captured answers (shtrih-protocol 14.3)", () => {
  it("of 10h on an Android device with a receipt open have neither voltages nor what a desktop one keeps there", async () => {
    const host = (await DeviceTrial.begin({ personality: "cashcore" })).connect();
    await host.all(OPEN_SALE);
    expect(await host.frame("02 05 10 01 00 00 00 14")).toBe("02 11 10 00 01 90 00 08 00 00 00 00 00 00 00 FF FF FF 00 67");
  });

  it("of 50h on a Nano have neither operator nor number", async () => {
    const host = (await DeviceTrial.begin({ personality: "nano" })).connect();
    await host.all(OPEN_SHIFT);
    expect(await host.ask("50 1E000000 4C04000000")).toBe("50 00 00 00 00");
  });
});
