import { describe, expect, it } from "vitest";
import {
  bytesOf,
  CANCEL,
  CLOSE_SALE,
  CLOSE_SHIFT,
  COFFEE,
  DeviceTrial,
  OPEN_SHIFT,
  STATUS,
  sell,
} from "../../../../support/shtrih-m-device.ts";
import { readVectors } from "../../../../support/shtrih-m-vectors.ts";

const BEGIN = "FF35 1E000000";
/** 1174 { 1178 14.03.2026 }. */
const BASIS = "FF0C 1E000000 9604 0800 9A04 0400 00A5B469";
/** 1173: on the seller's own initiative. */
const OWN_ACCOUNT = "FF0C 1E000000 9504 0100 00";
/** Returns FF4A for 500.00 in cash. `kind`: the kind of the correction (tag 1173). `sign`: the kind of settlement (tag 1054). */
const correction = (kind: string, sign: string) =>
  `FF4A 1E000000 ${kind} ${sign} 50C3000000 50C3000000 ${"00".repeat(20)} 8D20000000 ${"00".repeat(25)} 01`;

function vector(title: string): string {
  const found = readVectors().find((one) => one.title === title);
  if (found === undefined) throw new Error(`no vector ${title}`);
  return found.data.toString("hex").toUpperCase();
}

describe("corrections of format 1.05 at the device", () => {
  it("are begun, described and made by the vectors of the protocol document", async () => {
    const trial = await DeviceTrial.begin({ ffd: "1.05" });
    const host = trial.connect();
    await host.ask(OPEN_SHIFT);
    expect(await host.ask(vector("14.1 begin correction by host"))).toBe("FF 35 00");
    expect(await host.ask("FF0C 1E000000 9604 1700 9904 0300 80AAE2 9A04 0400 00A5B469 9B04 0400 31322F33")).toBe("FF 0C 00");
    const made = bytesOf(await host.ask(vector("14.1 correction receipt by host")));
    expect([made.subarray(0, 3).toString("hex"), made.readUInt16LE(3), made.readUInt32LE(5), made.length]).toEqual(["ff4a00", 1, 3, 13]);
    const found = bytesOf(await host.ask("FF0A 1E000000 03000000"));
    expect([found[3], found[18], found.readUIntLE(19, 5)]).toEqual([31, 1, 50_000]);
    expect(trial.paper.some((line) => line.startsWith("ЧЕК КОРРЕКЦИИ № 1"))).toBe(true);
  });

  it("tell their time where T17F36 asks for it", async () => {
    const host = (await DeviceTrial.begin({ ffd: "1.05" })).connect();
    await host.all(OPEN_SHIFT, "1E 1E000000 11 0100 24 01", BEGIN, BASIS);
    expect(await host.ask(correction("00", "01"))).toMatch(/ 1A 03 0E 0A 07$/);
  });

  it("are refused as captured while the shift is closed, and by 4Eh when it has run out", async () => {
    const trial = await DeviceTrial.begin({ ffd: "1.05" });
    const host = trial.connect();
    expect(await host.ask(BEGIN)).toBe("FF 35 5E");
    await host.ask(OPEN_SHIFT);
    trial.fault("shift-expired@FF35");
    expect(await host.ask(BEGIN)).toBe("FF 35 4E");
  });

  it("are the drive's open document until they are made or given up, and keep other documents out", async () => {
    const host = (await DeviceTrial.begin({ ffd: "1.05" })).connect();
    await host.all(OPEN_SHIFT, BEGIN);
    expect(bytesOf(await host.ask("FF01 1E000000"))[4]).toBe(0x14);
    expect(await host.ask(BEGIN)).toBe("FF 35 02");
    expect(await host.ask("8D 01000000 00")).toBe("8D 5E");
    expect(await host.ask(CLOSE_SHIFT)).toBe("41 5E");
    expect(await host.ask("FF08 1E000000")).toBe("FF 08 00");
    expect(bytesOf(await host.ask("FF01 1E000000"))[4]).toBe(0);
    expect((await sell(host)).startsWith("FF 45 00")).toBe(true);
  });

  it.each([
    ["without FF35", [BASIS], correction("00", "01"), "FF 4A 5E"],
    ["of a return", [BEGIN, BASIS], correction("00", "02"), "FF 4A 5E"],
    ["of a returned purchase", [BEGIN, BASIS], correction("00", "04"), "FF 4A 5E"],
    ["without their basis", [BEGIN], correction("00", "01"), "FF 4A A4"],
    ["by an order without its number", [BEGIN, BASIS], correction("01", "01"), "FF 4A A4"],
    ["of an unknown kind", [BEGIN, BASIS], correction("02", "01"), "FF 4A 33"],
  ])("are refused %s", async (_, before, last, answer) => {
    const host = (await DeviceTrial.begin({ ffd: "1.05" })).connect();
    await host.ask(OPEN_SHIFT);
    for (const command of before) await host.ask(command);
    expect(await host.ask(last)).toBe(answer);
    expect(bytesOf(await host.ask("FF01 1E000000")).readUInt32LE(29)).toBe(2);
  });

  it("are refused as captured with the sign of a return", async () => {
    const host = (await DeviceTrial.begin({ ffd: "1.05" })).connect();
    await host.all(OPEN_SHIFT, BEGIN, BASIS);
    expect(await host.ask(vector("14.3 correction receipt by host"))).toBe("FF 4A 5E");
  });

  it("are not opened as receipts: 8Dh 80h is for later formats", async () => {
    const host = (await DeviceTrial.begin({ ffd: "1.05" })).connect();
    await host.ask(OPEN_SHIFT);
    expect(await host.ask("8D 01000000 80")).toBe("8D 35");
  });

  it("are lost with the power while they are not made", async () => {
    const trial = await DeviceTrial.begin({ ffd: "1.05", faults: ["power-cut-before@FF4A=1000"] });
    const host = trial.connect();
    await host.all(OPEN_SHIFT, BEGIN, BASIS);
    await expect(host.ask(correction("00", "01"))).rejects.toThrow("no acknowledgement");
    await trial.clock.advance(1_000);
    const again = trial.connect();
    expect(bytesOf(await again.ask("FF01 1E000000"))[4]).toBe(0);
    expect(await again.ask(correction("00", "01"))).toBe("FF 4A 5E");
  });
});

describe("corrections of format 1.2 at the device", () => {
  it.each([
    ["80", "01", 0x08],
    ["81", "03", 0x18],
    ["82", "02", 0x28],
    ["83", "04", 0x38],
  ])("are opened as receipts of type %s with positions of operation %s, in mode %i", async (type, operation, mode) => {
    const host = (await DeviceTrial.begin()).connect();
    await host.all(OPEN_SHIFT, "50 1E000000 A086010000", `8D 01000000 ${type}`);
    expect(bytesOf(await host.ask(STATUS))[5]).toBe(mode);
    expect(bytesOf(await host.ask("FF01 1E000000"))[4]).toBe(0x14);
    await host.all(OWN_ACCOUNT, BASIS);
    expect(await host.ask(COFFEE.replace("01000000 01", `01000000 ${operation === "01" ? "02" : "01"}`))).toBe("FF 46 49");
    await host.ask(COFFEE.replace("01000000 01", `01000000 ${operation}`));
    expect((await host.ask(CLOSE_SALE)).startsWith("FF 45 00")).toBe(true);
    const found = bytesOf(await host.ask("FF0A 1E000000 03000000"));
    expect([found[3], found[18], found.readUIntLE(19, 5)]).toEqual([31, Number(operation), 14_985]);
  });

  it("need their basis, and stay open without it", async () => {
    const host = (await DeviceTrial.begin()).connect();
    await host.all(OPEN_SHIFT, "8D 01000000 80", COFFEE);
    expect(await host.ask(CLOSE_SALE)).toBe("FF 45 A4");
    await host.ask(BASIS);
    expect(await host.ask(CLOSE_SALE)).toBe("FF 45 A4");
    await host.ask(OWN_ACCOUNT);
    expect((await host.ask(CLOSE_SALE)).startsWith("FF 45 00")).toBe(true);
  });

  it("are given up with 88h, as receipts are", async () => {
    const host = (await DeviceTrial.begin()).connect();
    await host.all(OPEN_SHIFT, "8D 01000000 80", OWN_ACCOUNT, BASIS, COFFEE);
    expect(await host.ask(CANCEL)).toBe("88 00 01");
    expect(bytesOf(await host.ask("FF01 1E000000")).readUInt32LE(29)).toBe(2);
  });

  it("have no FF35: that is for format 1.05; types above 83h are wrong", async () => {
    const host = (await DeviceTrial.begin()).connect();
    await host.ask(OPEN_SHIFT);
    expect(await host.ask(BEGIN)).toBe("FF 35 35");
    expect(await host.ask("8D 01000000 84")).toBe("8D 33");
  });
});
