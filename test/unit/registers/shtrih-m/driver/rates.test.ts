import { describe, expect, it } from "vitest";
import { deadlineIn } from "../../../../../src/kernel/deadline.ts";
import type { VatCode } from "../../../../../src/model/tax.ts";
import { sentRates } from "../../../../../src/registers/shtrih-m/examination/rates.ts";
import type { Vat20 } from "../../../../../src/registers/shtrih-m/identity/abilities.ts";
import { receiptDocument, receiptLine, tendersOf } from "../../../../support/register-documents.ts";
import { MORNING_MS, refusalCode, Trial } from "../../../../support/registers.ts";
import { shtrihBench } from "../../../../support/shtrih-m-bench.ts";
import { AT_REST, type Script, scripted } from "../../../../support/shtrih-m-script.ts";
import { VirtualClock } from "../../../../support/virtual-clock.ts";

/** The name of T17F71 in shtrih-protocol 6, «Rus замена НДС 20 на 22», in Windows-1251, filled up to 40 bytes. */
const NAME = "52757320E7E0ECE5EDE020CDC4D120323020EDE0203232".padEnd(80, "0");
/** The answer to 2Eh: a number of one byte from 0 to 2. */
const FIELD = `2E00${NAME}00010002`;

const ANSWERED: Script = {
  "1E": "1E00",
  "8D": "8D0001",
  FF0C: "FF0C00",
  FF46: "FF4600",
  // The answers have documents 343 to 348.
  FF45: ["57", "58", "59", "5A", "5B", "5C"].map((number) => `FF45000000000000${number}010000F2BF0B3E1A030E0A07`),
  "88": "880001",
  FF08: "FF0800",
};

interface Firmware {
  /** The number of rows in the tax table. */
  rows: 6 | 10 | 12;
  /** The value of the field that replaces 20 % by 22 %. Absent: the firmware has no such field. */
  setting?: number;
  /** The number of that field in table 17, usually 71. */
  field?: number;
}

/** A device with the given firmware. The bytes are those of shtrih-protocol 5 and 6. */
function deviceWith({ rows, setting, field = 71 }: Firmware, more: Script = {}) {
  const clock = new VirtualClock(MORNING_MS);
  const place = field.toString(16).padStart(2, "0");
  const device = scripted(clock, {
    ...AT_REST,
    ...ANSWERED,
    "2D1E00000006": `2D00${"00".repeat(40)}${rows.toString(16).padStart(2, "0")}0002`,
    ...(setting === undefined
      ? {}
      : {
          "2D1E00000011": `2D00${"00".repeat(40)}010049`,
          "2E1E00000011": `2E00${"00".repeat(40)}00010001`,
          [`2E1E00000011${place}`]: FIELD,
          [`1F1E000000110100${place}`]: `1F000${setting}`,
        }),
    ...more,
  });
  const settled = async <T>(work: Promise<T>): Promise<T> => {
    let ended = false;
    const end = () => {
      ended = true;
    };
    work.then(end, end);
    for (let turns = 0; !ended; turns += 1) await clock.advance(turns < 50 ? 0 : 100);
    return work;
  };
  return {
    /**
     * Sells positions with these rates. Returns the code of the refusal or of the outcome, the sent rates, and what was
     * written to table 17.
     */
    async sell(...vats: VatCode[]) {
      device.asked.length = 0;
      const lines = vats.map((vat) => receiptLine({ vat, vatKopecks: 0 }));
      const totalKopecks = vats.length * 10_000;
      const vatTotals = vats.map((vat) => ({ vat, sumKopecks: 1_803 }));
      const document = receiptDocument({ lines, totalKopecks, tenders: tendersOf({ cashKopecks: totalKopecks }), vatTotals });
      const outcome = await settled(device.register.perform(document, deadlineIn(clock, 180_000)));
      const sent = (code: string) => device.asked.filter((data) => data.startsWith(code));
      return {
        outcome: refusalCode(outcome),
        // Before the rate are two bytes of code and 26 further bytes (shtrih-protocol 5.7).
        rates: sent("FF46").map((data) => data.slice(56, 58)),
        written: sent("1E").map((data) => data.slice(10)),
      };
    },
    /** The six taxes of the last FF45, in kopecks: five bytes each, after 87 bytes (shtrih-protocol 5.7). */
    taxes() {
      const closing = device.asked.findLast((data) => data.startsWith("FF45"));
      const bytes = closing === undefined ? undefined : Buffer.from(closing, "hex");
      return bytes && [0, 1, 2, 3, 4, 5].map((at) => bytes.readUIntLE(87 + 5 * at, 5));
    },
    say: device.say,
  };
}

const ON = "1101004701";
const OFF = "1101004700";
const REFUSED = { outcome: "vat-rate", rates: [], written: [] };
const sold = (rate: string, ...written: string[]) => ({ outcome: "done", rates: [rate], written });

/** The device's answers to 2Eh for the fields of table 17 and of table 10. */
const NAMES = (of17: string, of10: string): Script => ({ "2E1E0000001147": of17, "2E1E00000011": of17, "2E1E0000000A": of10 });

describe("20 % and 22 % at a device", () => {
  it.each<[string, Firmware, Partial<Record<VatCode, ReturnType<typeof sold>>>]>([
    ["older than the rates of 2025", { rows: 6 }, { 1: sold("01"), 3: sold("10"), 11: REFUSED, 12: REFUSED }],
    ["older than the rate of 22 %", { rows: 10 }, { 1: sold("01"), 3: sold("10"), 11: REFUSED, 12: REFUSED }],
    ["with rows for 22 % and no replacement", { rows: 12 }, { 1: sold("01"), 3: sold("10"), 11: sold("CB"), 12: sold("CC") }],
    ["of 6 rows, replacing", { rows: 6, setting: 1 }, { 1: sold("01", OFF), 3: sold("10", OFF), 11: sold("01"), 12: sold("10") }],
    ["of 6 rows, not replacing", { rows: 6, setting: 0 }, { 1: sold("01"), 3: sold("10"), 11: sold("01", ON), 12: sold("10", ON) }],
    ["of 10 rows, replacing", { rows: 10, setting: 1 }, { 1: sold("01", OFF), 3: sold("10", OFF), 11: sold("01"), 12: sold("10") }],
    ["of 10 rows, not replacing", { rows: 10, setting: 0 }, { 1: sold("01"), 3: sold("10"), 11: sold("01", ON), 12: sold("10", ON) }],
    ["of 12 rows, replacing", { rows: 12, setting: 1 }, { 1: sold("01", OFF), 3: sold("10", OFF), 11: sold("CB"), 12: sold("CC") }],
    ["of 12 rows, not replacing", { rows: 12, setting: 0 }, { 1: sold("01"), 3: sold("10"), 11: sold("CB"), 12: sold("CC") }],
    // T17F71 may be 2, but shtrih-protocol does not say what this means.
    ["of 10 rows with a setting that nobody knows", { rows: 10, setting: 2 }, { 1: sold("01", OFF), 11: sold("01", ON) }],
    ["of 12 rows with a setting that nobody knows", { rows: 12, setting: 2 }, { 1: sold("01", OFF), 11: sold("CB") }],
  ])("%s are registered as they are, or not at all", async (_, firmware, expected) => {
    for (const [vat, wanted] of Object.entries(expected)) {
      expect(await deviceWith(firmware).sell(Number(vat) as VatCode), `tag 1199 = ${vat}`).toEqual(wanted);
    }
  });

  it("do not swap after the device was told otherwise for one receipt", async () => {
    const device = deviceWith({ rows: 10, setting: 1 });
    expect(await device.sell(11)).toEqual(sold("01"));
    expect(await device.sell(1)).toEqual(sold("01", OFF));
    expect(await device.sell(1)).toEqual(sold("01"));
    expect(await device.sell(11)).toEqual(sold("01", ON));
    expect(await device.sell(11)).toEqual(sold("01"));
  });

  it("are refused in one receipt where one setting cannot serve both, and nothing is changed", async () => {
    for (const setting of [0, 1]) expect(await deviceWith({ rows: 10, setting }).sell(1, 11)).toEqual(REFUSED);
    expect(await deviceWith({ rows: 12, setting: 1 }).sell(1, 11)).toEqual({ outcome: "done", rates: ["01", "CB"], written: [OFF] });
  });

  it("are refused when the device does not let itself be told, and the next ones too", async () => {
    const device = deviceWith({ rows: 10, setting: 1 }, { "1E": "1EC7" });
    expect(await device.sell(1)).toEqual({ outcome: "vat-rate", rates: [], written: [OFF] });
    expect(await device.sell(11)).toEqual(sold("01"));
  });

  it("wait for a device of which nobody knows whether it has been told", async () => {
    const device = deviceWith({ rows: 10, setting: 1 }, { "1E": "" });
    const { written, ...told } = await device.sell(1);
    expect(told).toEqual({ outcome: "register-unreachable", rates: [] });
    expect(new Set(written)).toEqual(new Set([OFF]));
    device.say({ "1E": "1E00" });
    expect(await device.sell(11)).toEqual(sold("01", ON));
  });

  it("are told by the field's name, wherever the program has it", async () => {
    expect(await deviceWith({ rows: 10, setting: 1, field: 52 }).sell(11)).toEqual(sold("01"));
    expect(await deviceWith({ rows: 10, setting: 1, field: 52 }).sell(1)).toEqual(sold("01", "1101003400"));
  });

  it("are registered in the closing, or not at all, at a device that takes the taxes on the total", async () => {
    const onTotal: Script = { "1F1E0000000101000E": "1F0001" };
    const sell = async (firmware: Firmware, vat: VatCode) => {
      const device = deviceWith(firmware, onTotal);
      const sold = await device.sell(vat);
      return { ...sold, taxes: device.taxes() };
    };
    // FF45 has no field for 22 %. Where 20 % is replaced, the field of 20 % is used.
    expect(await sell({ rows: 12, setting: 0 }, 11)).toEqual({ ...sold("CB", ON), taxes: [1_803, 0, 0, 0, 0, 0] });
    expect(await sell({ rows: 12, setting: 1 }, 12)).toEqual({ ...sold("CC"), taxes: [0, 0, 0, 0, 1_803, 0] });
    expect(await sell({ rows: 12, setting: 0 }, 1)).toEqual({ ...sold("01"), taxes: [1_803, 0, 0, 0, 0, 0] });
    expect(await sell({ rows: 12, setting: 0 }, 6)).toEqual({ ...sold("08"), taxes: [0, 0, 0, 1_803, 0, 0] });
    expect(await sell({ rows: 12 }, 11)).toEqual({ ...REFUSED, taxes: undefined });
    expect(await deviceWith({ rows: 12, setting: 1 }, onTotal).sell(1, 11)).toEqual(REFUSED);
  });

  it("are examined with the closing, where the device takes the taxes on the total", () => {
    const unsent = (taxOnTotal: boolean, vat20: Vat20) =>
      sentRates({ tagsBeforeItem: false, taxRows: 12, vat20, taxOnTotal }).flatMap(({ code, sentAs }) =>
        sentAs === undefined ? [code] : [],
      );
    expect([unsent(true, "kept"), unsent(false, "kept")]).toEqual([[11, 12], []]);
    expect([unsent(true, "replaced"), unsent(false, "replaced")]).toEqual([
      [1, 3],
      [1, 3],
    ]);
  });

  it("are not taken for each other at a device that names none of its fields", async () => {
    const nameless: Script = { "2E1E0000001147": "2E37", "2E1E00000011": "2E37" };
    expect(await deviceWith({ rows: 12, setting: 1 }, nameless).sell(1)).toEqual(REFUSED);
    expect(await deviceWith({ rows: 12, setting: 1 }, nameless).sell(11)).toEqual(sold("CB"));
    expect(await deviceWith({ rows: 10, setting: 1 }, nameless).sell(11)).toEqual(REFUSED);
  });

  it("are not taken for each other at a device that names the fields of only one of the tables that may have the setting", async () => {
    const FORMAT_IN_TABLE_10: Script = {
      F7: "F7005AA04007206C00000C18010C100000000000001E0000000006FF004040B6031213180A11",
      "1F1E0000000A010011": "1F0004",
      "2D1E0000000A": `2D00${"00".repeat(40)}010011`,
    };
    const unnamed = "2E37";
    const other = `2E00${"00".repeat(40)}00010001`;
    const at = (of17: string, of10: string) => deviceWith({ rows: 12, setting: 1 }, { ...NAMES(of17, of10), ...FORMAT_IN_TABLE_10 });
    expect(await at(unnamed, other).sell(1)).toEqual(REFUSED);
    expect(await at(other, unnamed).sell(1)).toEqual(REFUSED);
    expect(await at(other, other).sell(1)).toEqual(sold("01"));
    // The device has no table 17, or does not say whether it has one.
    const without = (error: string) => deviceWith({ rows: 12 }, { ...NAMES(other, other), ...FORMAT_IN_TABLE_10, "2D1E00000011": error });
    expect(await without("2D5D").sell(1)).toEqual(sold("01"));
    expect(await without("2D50").sell(1)).toEqual(REFUSED);
  });

  it("are not guessed when the line fails while the field is looked for", async () => {
    const device = deviceWith({ rows: 12, setting: 1 }, { "2E1E0000001147": ["", "", "", "", "", FIELD] });
    expect(await device.sell(1)).toEqual({ outcome: "register-unreachable", rates: [], written: [] });
    expect(await device.sell(1)).toEqual(sold("01", OFF));
  });

  it.each(["desktop", "cashcore", "nano"] as const)("are in the drive of the %s device what was sold", async (personality) => {
    const t = await Trial.on((clock) => shtrihBench(clock, { personality }));
    await t.openShift();
    for (const vat of [11, 1, 3, 12, 1] as const) {
      const { documentNumber } = await t.fiscal(receiptDocument({ lines: [receiptLine({ vat })] }));
      const stored = (await t.bench.front.documents())[documentNumber - 1];
      // Tag 1199 with a length of one, inside the position.
      expect(stored?.tlv.includes(Buffer.from(`AF040100${vat.toString(16).padStart(2, "0")}`, "hex"))).toBe(true);
    }
  });
});
