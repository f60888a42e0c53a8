import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { command } from "./driver/requests.ts";
import { Till } from "./driver/till.ts";
import { basket } from "./project/basket.ts";
import { type Emulator, startEmulator } from "./project/emulator.ts";
import { fromHex, toHex, uint } from "./protocol/bytes.ts";
import { fromCp1251 } from "./protocol/text.ts";

const start = "2026-03-14T10:05:00";
const system = (code: string, ...parts: readonly Buffer[]) => command(code, 30, ...parts);

/** LEN of answers without error, by the tables of shtrih-protocol 5. */
const lengths: readonly (readonly [string, Buffer, readonly number[]])[] = [
  ["10h", system("10"), [16, 17]],
  ["11h", system("11"), [48, 50, 52]],
  ["F7h", fromHex("F7 01"), [35]],
  ["13h", system("13"), [3]],
  ["15h", system("15", Buffer.of(0)), [4]],
  ["17h", system("17", Buffer.of(2), Buffer.alloc(40)), [3]],
  ["1Ah", system("1A", Buffer.of(241)), [9]],
  ["1Bh", system("1B", Buffer.of(152)), [5]],
  ["1Fh of T17F17", system("1F", Buffer.of(17), uint(1, 2), Buffer.of(17)), [3]],
  ["25h", system("25", Buffer.of(1)), [3]],
  ["26h", system("26", Buffer.of(1)), [7]],
  ["28h", system("28", Buffer.of(0)), [3]],
  ["29h", system("29", Buffer.of(2, 1)), [3]],
  ["2Dh", system("2D", Buffer.of(17)), [45]],
  ["2Eh of a byte", system("2E", Buffer.of(17, 17)), [46]],
  ["2Eh of a text", system("2E", Buffer.of(18, 1)), [44]],
  ["40h", system("40"), [3]],
  ["FEh F4", fromHex("FE F4 00 00 00 00"), [34]],
  ["FF01", system("FF01"), [33]],
  ["FF02", system("FF02"), [19]],
  ["FF03", system("FF03"), [6, 8]],
  ["FF04", system("FF04"), [20]],
  ["FF09", system("FF09"), [67]],
  ["FF39", system("FF39"), [16]],
  ["FF3F", system("FF3F"), [5]],
  ["FF40", system("FF40"), [8]],
  ["FF63", system("FF63"), [11, 12]],
  ["FF74", system("FF74"), [51]],
  ["FF0A of the registration", system("FF0A", uint(1, 4)), [52]],
];

describe("layouts of the project's emulator", () => {
  let emulator: Emulator;
  let till: Till;

  beforeAll(async () => {
    emulator = await startEmulator("--clock", start);
    till = await Till.connect(emulator.address);
  });

  afterAll(async () => {
    till.close();
    await emulator.close();
  });

  it.each(lengths)("answers %s by the length of chapter 5", async (_, request, allowed) => {
    const answer = await till.exchange(request);
    expect(allowed, toHex(answer)).toContain(answer.length);
    await till.untilIdle();
  });

  it("answers 10h and FCh as the derived vectors do", async () => {
    expect(toHex(await till.exchange(system("10")))).toBe("10 00 1E 90 02 04 00 00 9F D8 00 00 00 00 04 00");
    expect(toHex(await till.exchange(fromHex("FC")))).toBe("FC 00 00 00 01 0E FC 00 D8 D2 D0 C8 D5 2D CB C0 C9 D2 2D 30 32 D4");
  });

  it("carries the FM date of 11h as the captured frame does", async () => {
    expect(toHex((await till.exchange(system("11"))).subarray(22, 25))).toBe("01 01 10");
  });

  it("makes a state report by FF38 alone with the shift closed and with it open", async () => {
    for (const open of [false, true]) {
      if (open) await till.openShift("Иванов И.И.");
      const number = (await till.driveStatus()).lastDocument + 1;
      const made = await till.ask(system("FF38"));
      // Number and sign of the document, number and date of unsent documents, and a moment where T17F36 asks for it (shtrih-protocol 5.8).
      expect([15, 20]).toContain(made.left);
      expect(made.uint(4)).toBe(number);
      const sign = made.uint(4);
      expect([made.uint(4), made.uint(3)]).toEqual([0, 0]);
      await till.untilIdle();
      expect(await till.findDocument(number)).toMatchObject({ type: 21, number, sign });
      expect((await till.documentTags(number)).type).toBe(21);
      expect(await till.driveStatus()).toMatchObject({ lastDocument: number, shiftOpen: open });
    }
    await till.closeShift("Иванов И.И.");
  });

  it("names a table's field and its error in CP1251", async () => {
    expect(fromCp1251((await till.exchange(system("2E", Buffer.of(17, 17)))).subarray(2, 42))).toContain("Rus формат ФД");
    const words = await till.exchange(fromHex("6B 4E"));
    expect(["6B 00", "6B 37"]).toContain(toHex(words.subarray(0, 2)));
  });

  it("answers a command that nobody knows by 37h", async () => {
    expect(toHex(await till.exchange(system("A7")))).toBe("A7 37");
    expect(["FF 37", "FF DD 37"]).toContain(toHex(await till.exchange(system("FFDD"))));
  });

  it("sets its clock only while the shift is closed", async () => {
    expect(toHex(await till.exchange(system("21", Buffer.of(11, 0, 0))))).toBe("21 00");
    expect((await till.longStatus()).time.slice(0, 2)).toEqual([11, 0]);
    await till.openShift("Иванов И.И.");
    expect(toHex(await till.exchange(system("21", Buffer.of(12, 0, 0))))).toBe("21 73");
  });

  it("adds the moment to FF45 once T17F36 asks for it", async () => {
    await till.ask(system("1E", Buffer.of(17), uint(1, 2), Buffer.of(36, 1)));
    const { number } = await till.register(basket.receipt);
    await till.prepare(basket.receipt);
    expect((await till.driveStatus()).lastDocument).toBe(number);
    expect((await till.driveStatus()).openDocument).toBe(0x04);
    await till.cancel();
    expect((await till.ask(system("FF0A", uint(number, 4)))).left).toBe(21);
  });
});
