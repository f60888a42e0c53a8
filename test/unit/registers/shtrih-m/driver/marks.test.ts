import { beforeEach, describe, expect, it } from "vitest";
import { deadlineIn } from "../../../../../src/kernel/deadline.ts";
import type { ReceiptDocument, RegisterDocument } from "../../../../../src/model/document.ts";
import type { Outcome } from "../../../../../src/registers/register.ts";
import { receiptDocument, receiptLine, shiftDocument, tendersOf } from "../../../../support/register-documents.ts";
import { MORNING_MS, refusalCode, Trial } from "../../../../support/registers.ts";
import { shtrihBench } from "../../../../support/shtrih-m-bench.ts";
import { AT_REST, type Script, type Scripted, scripted } from "../../../../support/shtrih-m-script.ts";
import { readVectors } from "../../../../support/shtrih-m-vectors.ts";
import { VirtualClock } from "../../../../support/virtual-clock.ts";

const GS = "\u001d";
/** The code of the vectors in shtrih-protocol 14.1. */
const MILK = `01046006531059902152CUnq${GS}93Gk30`;
const CLEARED = "FF691E00000002";
const ACCEPTED = "FF691E00000001";
const REJECTED = "FF691E00000000";

const ANSWERED: Script = {
  "8D": "8D0001",
  FF0C: "FF0C00",
  FF46: "FF4600",
  FF4D: "FF4D00",
  FF45: "FF4500000000000057010000F2BF0B3E1A030E0A07",
  "88": "880001",
  FF08: "FF0800",
  // The answers of shtrih-protocol 14.1: the drive's check gives 3 and the state's answer 0F; the mark is accepted; it is bound.
  FF61: "FF610003000502000F",
  FF69: "FF69000F",
  FF67: "FF6700444D03",
};

function milk(more: Partial<ReceiptDocument> = {}): ReceiptDocument {
  return receiptDocument({
    lines: [receiptLine({ mark: MILK, subject: 33, vat: 2, vatKopecks: 909 })],
    vatTotals: [{ vat: 2, sumKopecks: 909 }],
    ...more,
  });
}

let clock: VirtualClock;
let device: Scripted;

beforeEach(() => {
  clock = new VirtualClock(MORNING_MS);
  device = scripted(clock, { ...AT_REST, ...ANSWERED });
});

async function perform(document: RegisterDocument): Promise<Outcome> {
  const work = device.register.perform(document, deadlineIn(clock, 180_000));
  let ended = false;
  const end = () => {
    ended = true;
  };
  work.then(end, end);
  for (let turns = 0; !ended; turns += 1) await clock.advance(turns < 50 ? 0 : 100);
  return work;
}

function sent(code: RegExp): string[] {
  return device.asked.filter((data) => code.test(data));
}

/** The codes of the relevant commands, in their order. */
function order(): string[] {
  return sent(/^(8D|88|FF46|FF45|FF4D|FF61|FF69|FF67)/).map((data) =>
    data.startsWith("FF69") ? data : data.slice(0, data.startsWith("FF") ? 4 : 2),
  );
}

/** The vector with password 30, with which the driver sends the commands of marks. The document has password 1. */
function vector(title: string): string {
  const found = readVectors().find((one) => one.title === title);
  if (found === undefined) throw new Error(`no vector ${title}`);
  return found.data
    .toString("hex")
    .toUpperCase()
    .replace(/^(FF..)01000000/, "$11E000000");
}

describe("the driver sells marked goods", () => {
  it("with the commands of the vectors: check and acceptance before the receipt, the binding behind the position", async () => {
    expect(await perform(milk({ markPolicy: "checked-correct" }))).toMatchObject({ kind: "done", facts: { markChecks: [15] } });
    expect(order()).toEqual([CLEARED, "FF61", ACCEPTED, "8D", "FF46", "FF67", "FF45"]);
    expect(sent(/^FF61/)).toEqual([vector("14.1 check marking code by host")]);
    expect(sent(/^FF67/)).toEqual([vector("14.1 bind marking code by host")]);
  });

  it("each code by itself, those of returns as pieces that come back", async () => {
    const lines = [MILK, MILK.replace("CUnq", "CUnr")].map((mark) => receiptLine({ mark, subject: 33, vat: 2, vatKopecks: 909 }));
    const more = {
      totalKopecks: 20_000,
      vatTotals: [{ vat: 2 as const, sumKopecks: 1_818 }],
      tenders: tendersOf({ nonCashKopecks: 20_000 }),
    };
    await perform(milk({ sign: 2, lines, ...more }));
    expect(order()).toEqual([CLEARED, "FF61", ACCEPTED, "FF61", ACCEPTED, "8D", "FF46", "FF67", "FF46", "FF67", "FF45"]);
    expect(sent(/^FF61/).map((data) => data.slice(12, 14))).toEqual(["03", "03"]);
  });

  it("that are measured by the vector: their status, measure and quantity are checked with the code, and stand in the position", async () => {
    const cheese = milk({
      lines: [
        receiptLine({
          mark: MILK,
          subject: 33,
          quantityMillionths: 1_500_000,
          unit: { code: 11, label: "кг" },
          sumKopecks: 15_000,
          vat: 2,
          vatKopecks: 1_364,
        }),
      ],
      totalKopecks: 15_000,
      tenders: tendersOf({ nonCashKopecks: 15_000 }),
      vatTotals: [{ vat: 2, sumKopecks: 1_364 }],
    });
    expect(await perform(cheese)).toMatchObject({ kind: "done", facts: { markChecks: [15] } });
    const measured = vector("14.1 check marking code by host, 2");
    expect(sent(/^FF61/)).toEqual([measured]);
    expect(sent(/^FF4D/)).toEqual(["FF4D010000003C0801000B"]);
    expect(order()).toEqual([CLEARED, "FF61", ACCEPTED, "8D", "FF46", "FF4D", "FF67", "FF45"]);
    await perform({ ...cheese, sign: 2 });
    expect(sent(/^FF61/)[1]).toBe(measured.replace("FF611E00000002", "FF611E00000004"));
  });

  it("of one keg in two positions are checked for each", async () => {
    const line = { mark: MILK, subject: 33, unit: { code: 41, label: "л" }, vat: 6 as const, vatKopecks: 0 };
    const keg = milk({
      lines: [500_000, 1_000_000].map((quantityMillionths) =>
        receiptLine({ ...line, quantityMillionths, sumKopecks: quantityMillionths / 100 }),
      ),
      totalKopecks: 15_000,
      tenders: tendersOf({ nonCashKopecks: 15_000 }),
      vatTotals: [{ vat: 6, sumKopecks: 15_000 }],
    });
    expect((await perform(keg)).kind).toBe("done");
    // Both end in tag 1023: 0.500 and 1.000.
    expect(sent(/^FF61/).map((data) => data.slice(-24))).toEqual(["3C08010029FF03030003F401", "3C08010029FF03030003E803"]);
    expect(order().filter((code) => code === "FF61" || code === "FF67")).toEqual(["FF61", "FF61", "FF67", "FF67"]);
  });

  it("after everything else that belongs to the position", async () => {
    const permit = { authority: "030", ruleDate: "21.11.2023", ruleNumber: "1944", value: "UUID=a&Time=1" };
    await perform(milk({ lines: [receiptLine({ mark: MILK, subject: 33, vat: 2, vatKopecks: 909, permit })] }));
    expect(order()).toEqual([CLEARED, "FF61", ACCEPTED, "8D", "FF46", "FF4D", "FF67", "FF45"]);
  });

  it("before the position where a model wants that", async () => {
    const t = await Trial.on((virtual) => shtrihBench(virtual, { personality: "cashcore" }));
    await t.fiscal(shiftDocument("open-shift"));
    t.bench.cable.reset();
    const permit = { authority: "030", ruleDate: "21.11.2023", ruleNumber: "1944", value: "UUID=a&Time=1" };
    await t.fiscal(milk({ lines: [receiptLine({ mark: MILK, subject: 33, vat: 2, vatKopecks: 909, permit })] }));
    const codes = ["ff61", "ff69", "8d", "ff4d", "ff67", "ff46", "ff45"];
    expect(
      framesIn(t.bench.cable.sent)
        .map((data) => codes.find((code) => data.startsWith(code)))
        .filter((code) => code !== undefined),
    ).toEqual(["ff69", ...codes.slice(0, 2), ...codes.slice(2)]);
  });

  it.each([
    ["wrong by the state's answer", "FF610003000502000D", "FF69000D", "код маркировки не прошёл проверку", REJECTED],
    ["unverified, without an answer of the state", "FF6100030005 00", "FF690003", "код маркировки не удалось проверить", ACCEPTED],
  ])(
    "but not what is %s, where the point of sale sells correct codes alone: nothing is opened",
    async (_, check, result, reason, decision) => {
      device.say({ FF61: check, FF69: result });
      expect(await perform(milk({ markPolicy: "checked-correct" }))).toMatchObject({
        kind: "refused",
        refusal: { code: "mark-denied", details: { reason } },
      });
      expect(order()).toEqual([CLEARED, "FF61", decision, CLEARED]);
    },
  );

  it("reads the state's own code before the result: one that did not answer in time is no result", async () => {
    device.say({ FF61: "FF61000300050200FF".replace("00FF", "FF00"), FF69: "FF690013" });
    expect(await perform(milk({ markPolicy: "correct-or-unverifiable" }))).toMatchObject({ kind: "done", facts: { markChecks: [0x13] } });
    expect(device.notes).toContain("warn: the state's system has not answered in time when a mark was checked");
  });

  it("begins the checks anew when the device finds them out of order, once", async () => {
    device.say({ FF61: ["FF61A1", "FF610003000502000F"] });
    expect((await perform(milk())).kind).toBe("done");
    expect(order()).toEqual([CLEARED, "FF61", CLEARED, "FF61", ACCEPTED, "8D", "FF46", "FF67", "FF45"]);
    device.say({ FF61: "FF61A1" });
    expect(await perform(milk())).toMatchObject({ kind: "refused", refusal: { device: { code: "A1h" } } });
  });

  it("begins the checks anew when nobody knows whether a code was accepted", async () => {
    device.say({ FF69: ["FF690000", "", "FF690000", "FF69000F"] });
    expect((await perform(milk())).kind).toBe("done");
    expect(order()).toEqual([CLEARED, "FF61", ACCEPTED, CLEARED, "FF61", ACCEPTED, "8D", "FF46", "FF67", "FF45"]);
  });

  it.each([
    ["A0", "device-refused", "не зарегистрирована для маркированных товаров"],
    ["A2", "device-refused", "Маркировка заблокирована"],
    ["A3", "document-too-large", "слишком много кодов"],
    ["A4", "device-refused", "нет обязательного реквизита"],
    ["D4", "mark-denied", "Неверный код маркировки"],
  ])("refuses in words what the device refuses to check with %sh, before anything is opened", async (error, code, words) => {
    device.say({ FF61: `FF61${error}` });
    const outcome = await perform(milk());
    expect(refusalCode(outcome)).toBe(code);
    expect(outcome).toMatchObject({ refusal: { device: { code: `${error}h`, words: expect.stringContaining(words) } } });
    expect(sent(/^8D/)).toEqual([]);
  });

  it.each(["A5", "AC", "D3"])("cancels the receipt when a code is not bound, by %sh", async (error) => {
    device.say({ FF67: `FF67${error}` });
    await device.register.inspect(deadlineIn(clock, 10_000));
    device.say({ "10": ["10001E9202080000A0DD01C0001D0800", "10001E9202020000A0DD01C0001D0800"] });
    expect(await perform(milk())).toMatchObject({ kind: "refused", refusal: { device: { code: `${error}h` } } });
    expect(order().slice(-2)).toEqual(["FF67", "88"]);
    expect(sent(/^FF45/)).toEqual([]);
  });

  it.each([
    ["the state's system has answered well", "0300050200 0F", 15],
    ["the drive's own check is all there is", "03000500", 3],
    ["nothing was checkable", "00010500", 0],
    ["the state's system has not answered", "0300 0502 FF00", 3],
  ])("takes the check that FF67 tells of a code that the device had forgotten: %s", async (_, check, result) => {
    device.say({ FF67: `FF6700444D03${check}` });
    expect(await perform(milk())).toMatchObject({ kind: "done", facts: { markChecks: [result] } });
    expect(device.notes).toContainEqual(expect.stringContaining("had forgotten the check of a mark"));
  });

  it.each(["", "03", "03000509"])("leaves the check of FF61 as it was for an FF67 that tells none: %j", async (check) => {
    device.say({ FF67: `FF6700444D03${check}` });
    expect(await perform(milk())).toMatchObject({ kind: "done", facts: { markChecks: [15] } });
  });

  it("puts each check that FF67 tells into the place of its own line", async () => {
    device.say({ FF67: ["FF6700444D03", "FF6700444D0303000500"] });
    const line = milk().lines[0] ?? receiptLine();
    const other = { ...line, mark: MILK.replace("CUnq", "CUnr") };
    const three = receiptDocument({
      lines: [line, receiptLine({ vat: 2, vatKopecks: 909 }), other],
      totalKopecks: 30_000,
      tenders: tendersOf({ cashKopecks: 30_000 }),
      vatTotals: [{ vat: 2, sumKopecks: 2_727 }],
    });
    expect(await perform(three)).toMatchObject({ kind: "done", facts: { markChecks: [15, null, 3] } });
  });

  it("cancels a sale whose code FF67 finds wrong where the point of sale does not sell such, and makes a return of it", async () => {
    device.say({ FF67: "FF6700444D03 0100 0502 0005" });
    await device.register.inspect(deadlineIn(clock, 10_000));
    device.say({ "10": ["10001E9202080000A0DD01C0001D0800", "10001E9202020000A0DD01C0001D0800"] });
    expect(refusalCode(await perform(milk({ markPolicy: "correct-or-unverifiable" })))).toBe("mark-denied");
    expect(order().slice(-2)).toEqual(["FF67", "88"]);
    expect(sent(/^FF45/)).toEqual([]);
    expect(await perform(milk({ sign: 2, markPolicy: "correct-or-unverifiable" }))).toMatchObject({
      kind: "done",
      facts: { markChecks: [5] },
    });
  });

  it.each([1, 2] as const)(
    "at no device without marking: a document of sign %i is refused in words, and somebody is told",
    async (sign) => {
      device.say({ FF61: "FF6137" });
      expect(await perform(milk({ sign }))).toMatchObject({
        kind: "refused",
        refusal: { code: "device-refused", device: { code: "37h", words: expect.stringContaining("не работает с кодами маркировки") } },
      });
      expect(sent(/^(8D|FF45)/)).toEqual([]);
      expect(device.notes).toContain("warn: the register knows no marking codes: marked goods are refused there");
    },
  );

  it("up to 128 codes in a receipt, and none that does not fit a frame", async () => {
    const many = (count: number) => {
      const lines = Array.from({ length: count }, (_, at) =>
        receiptLine({ mark: `01046006531059902152C${String(at).padStart(3, "0")}${GS}93Gk30`, subject: 33, vat: 6, vatKopecks: 0 }),
      );
      const totalKopecks = count * 10_000;
      return receiptDocument({
        lines,
        totalKopecks,
        tenders: tendersOf({ nonCashKopecks: totalKopecks }),
        vatTotals: [{ vat: 6, sumKopecks: totalKopecks }],
      });
    };
    expect(refusalCode(await perform(many(129)))).toBe("document-too-large");
    expect(sent(/^(FF61|8D)/)).toEqual([]);
    expect((await perform(many(128))).kind).toBe("done");
    const long = milk({ lines: [receiptLine({ mark: "A".repeat(246), vat: 6, vatKopecks: 0 })] });
    expect(await perform(long)).toMatchObject({ kind: "refused", refusal: { code: "mark-unreadable", details: { problem: "length" } } });
  });
});

describe("the driver sells marked goods under format 1.05", () => {
  beforeEach(() => device.say({ "1F1E000000110100 11": "1F0002" }));

  it.each([
    ["04600000000008", "abcdefghijklm", "444D042F055DB0086162636465666768696A6B6C6D"],
    // captured at a device (shtrih-protocol 9.2)
    ["04600439931256", "5gT'U=4", `444D042F1F968178${Buffer.from("5gT'U=4").toString("hex").toUpperCase()}`],
  ])("by tag 1162 alone: product %s with its highest byte first, then the serial number", async (gtin, serial, value) => {
    expect((await perform(milk({ lines: [receiptLine({ mark: `01${gtin}21${serial}${GS}93Gk30`, vat: 2, vatKopecks: 909 })] }))).kind).toBe(
      "done",
    );
    const length = (value.length / 2).toString(16).padStart(2, "0").toUpperCase();
    expect(sent(/^FF4D010000008A04/)).toEqual([`FF4D010000008A04${length}00${value}`]);
    expect(sent(/^(FF61|FF67|FF69)/)).toEqual([]);
  });

  it("but none where the point of sale sells checked codes alone: nothing can be checked there", async () => {
    expect(refusalCode(await perform(milk({ markPolicy: "checked-correct" })))).toBe("mark-denied");
    expect(refusalCode(await perform(milk({ markPolicy: "checked" })))).toBe("mark-denied");
    expect((await perform(milk({ markPolicy: "correct-or-unverifiable" }))).kind).toBe("done");
  });
});

/** The data of each frame of protocol 1.0 among the bytes of a line. */
function framesIn(bytes: Buffer): string[] {
  const frames: string[] = [];
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] !== 0x02) continue;
    const length = bytes[at + 1] ?? 0;
    frames.push(bytes.subarray(at + 2, at + 2 + length).toString("hex"));
    at += length + 2;
  }
  return frames;
}
