import { beforeEach, describe, expect, it } from "vitest";
import { deadlineIn } from "../../../../../src/kernel/deadline.ts";
import type { RegisterDocument } from "../../../../../src/model/document.ts";
import type { Outcome } from "../../../../../src/registers/register.ts";
import { cashDocument, receiptDocument, receiptLine, shiftDocument, tendersOf } from "../../../../support/register-documents.ts";
import { MORNING_MS } from "../../../../support/registers.ts";
import { AT_REST, type Script, type Scripted, scripted } from "../../../../support/shtrih-m-script.ts";
import { VirtualClock } from "../../../../support/virtual-clock.ts";

/** The receipt of shtrih-protocol 14.1: coffee for 149.85, 100.00 in cash and 49.85 by card. */
const COFFEE = receiptDocument({
  cashierName: "Иванов И.И.",
  buyerContact: "buyer@example.org",
  lines: [receiptLine({ name: "Кофе", quantityMillionths: 1_500_000, priceKopecks: 9_990, sumKopecks: 14_985, vat: 6, vatKopecks: 0 })],
  totalKopecks: 14_985,
  tenders: tendersOf({ cashKopecks: 10_000, nonCashKopecks: 4_985 }),
  vatTotals: [{ vat: 6, sumKopecks: 14_985 }],
});

const ANSWERED: Script = {
  "8D": "8D0001",
  FF0C: "FF0C00",
  FF46: "FF4600",
  FF45: "FF4500000000000057010000F2BF0B3E1A030E0A07",
  "88": "880001",
  FF08: "FF0800",
};

let clock: VirtualClock;
let device: Scripted;

beforeEach(() => {
  clock = new VirtualClock(MORNING_MS);
  device = scripted(clock, { ...AT_REST, ...ANSWERED });
});

async function settled<T>(work: Promise<T>): Promise<T> {
  let ended = false;
  const end = () => {
    ended = true;
  };
  work.then(end, end);
  for (let turns = 0; !ended; turns += 1) await clock.advance(turns < 50 ? 0 : 100);
  return work;
}

function perform(document: RegisterDocument): Promise<Outcome> {
  return settled(device.register.perform(document, deadlineIn(clock, 180_000)));
}

function sent(code: string): string[] {
  return device.asked.filter((data) => data.startsWith(code));
}

describe("the driver at a device that speaks by the reference", () => {
  it("reads who is there from the tables, the short form of an error included", async () => {
    const asked = await settled(device.register.identity(deadlineIn(clock, 10_000)));
    expect(asked).toMatchObject({
      kind: "reached",
      value: {
        driveNumber: "9999078900001234",
        registrationNumber: "0000000000040613",
        inn: "5752203694",
        firmware: "C.1",
        ffd: "1.2",
        taxSystems: ["osn"],
      },
    });
  });

  it("tells the state in the device's own numbers", async () => {
    const asked = await settled(device.register.inspect(deadlineIn(clock, 10_000)));
    expect(asked).toMatchObject({
      kind: "reached",
      value: {
        driveNumber: "9999078900001234",
        lastDocumentNumber: 342,
        shift: { kind: "open", number: 57, openedAt: "2026-03-14 08:00:00", openReportNumber: 330, expired: false },
        drawerKopecks: 123_456,
        time: "2017-03-01 13:47:21",
        paper: "present",
        documentOpen: false,
        queue: { unsent: 2, since: "2026-03-14 10:01:00" },
        drive: { phase: "fiscal", keysUntil: "2027-06-30 00:00:00" },
      },
    });
    if (asked.kind === "reached" && asked.value.shift.kind === "open") expect(asked.value.shift.openReportNumber).toBe(330);
  });

  it("sends the receipt as the reference has it and tells what came back", async () => {
    const outcome = await perform(COFFEE);
    expect(outcome).toMatchObject({
      kind: "done",
      facts: {
        documentNumber: 343,
        fiscalSign: "1040957426",
        time: "2026-03-14 10:07:00",
        shiftNumber: 57,
        receipt: { number: 13, sign: 1, totalKopecks: 14_985 },
        cashierName: "Иванов И.И.",
      },
    });
    expect(sent("8D")).toEqual(["8D0100000000"]);
    expect(sent("FF0C").slice(0, 2)).toEqual([
      "FF0C1E000000FD030B0088A2A0ADAEA220882E882E",
      "FF0C1E000000F00311006275796572406578616D706C652E6F7267",
    ]);
    expect(sent("FF46")).toEqual(["FF46010000000160E3160000000627000000893A000000FFFFFFFFFF08000401CAEEF4E5"]);
    expect(sent("FF45")).toEqual([`FF450100000010270000007913000000${"00".repeat(70)}00${"00".repeat(30)}01`]);
  });

  it("asks the drive for the time where the answer to FF45 does not tell it", async () => {
    await settled(device.register.inspect(deadlineIn(clock, 10_000)));
    device.say({
      FF45: "FF4500000000000057010000F2BF0B3E",
      FF01: "FF010003000001001A030E0A0739393939303738393030303031323334570100 00",
    });
    expect(await perform(COFFEE)).toMatchObject({ kind: "done", facts: { time: "2026-03-14 10:07:00" } });
  });

  it("asks the drive for the time where the answer to FF45 has five zeros in its place", async () => {
    await settled(device.register.inspect(deadlineIn(clock, 10_000)));
    device.say({
      FF45: "FF4500000000000057010000F2BF0B3E0000000000",
      FF01: "FF010003000001001A030E0A0739393939303738393030303031323334570100 00",
    });
    expect(await perform(COFFEE)).toMatchObject({ kind: "done", facts: { time: "2026-03-14 10:07:00" } });
  });

  it("does not tell when the shift was opened where the drive does not give its opening report", async () => {
    device.say({ FF0A: "FF0A08" });
    expect(await settled(device.register.inspect(deadlineIn(clock, 10_000)))).toMatchObject({
      value: { shift: { kind: "open", number: 57, openedAt: "", expired: false } },
    });
  });

  it.each([
    ["in one command as long as a frame holds it", 245, ["FF0C"]],
    ["in blocks of 64 bytes when a frame lacks one byte", 246, ["DD", "DD", "DD", "DD", "FF64"]],
    ["in blocks of 64 bytes up to the longest text", 256, ["DD", "DD", "DD", "DD", "DD", "FF64"]],
  ])("sends a tag of the document %s", async (_, length, codes) => {
    device.say({ DD: "DD00", FF64: "FF6400" });
    expect((await perform({ ...COFFEE, address: "А".repeat(length) })).kind).toBe("done");
    // The first command of these is the cashier's. Tag 1009 follows it.
    const tags = device.asked.filter((data) => /^(DD|FF64|FF0C)/.test(data)).slice(1);
    expect(tags.slice(0, codes.length).map((data) => codes.find((code) => data.startsWith(code)))).toEqual(codes);
    expect(tags[0]).toContain("F103");
    expect(sent("88")).toEqual([]);
  });

  it("sends a permit that a frame holds, and refuses a longer one before it opens the receipt", async () => {
    device.say({ FF4D: "FF4D00" });
    const withPermit = (length: number) => {
      const permit = { authority: "030", ruleDate: "21.11.2023", ruleNumber: "1944", value: "x".repeat(length) };
      return perform({ ...COFFEE, lines: COFFEE.lines.map((line) => ({ ...line, permit })) });
    };
    expect((await withPermit(212)).kind).toBe("done");
    // Code, password and 249 bytes of tag 1260 are 255 bytes, as many as a frame holds.
    expect(sent("FF4D").map((data) => data.length / 2)).toEqual([255]);
    device.asked.length = 0;
    expect(await withPermit(213)).toMatchObject({ kind: "refused", refusal: { code: "document-too-large" } });
    expect(device.asked).toEqual([]);
  });

  it("opens no receipt of which a command cannot hold a value, and the log names the value", async () => {
    device.say({ "1F1E0000000101000E": "1F0001" });
    const taxed = { ...COFFEE, vatTotals: [{ vat: 6 as const, sumKopecks: 2 ** 40 }] };
    expect(await perform(taxed)).toMatchObject({ kind: "refused", refusal: { code: "document-too-large" } });
    expect([sent("8D"), sent("FF45")]).toEqual([[], []]);
    expect(device.notes.join()).toContain("does not fit the commands");
    expect((await perform(COFFEE)).kind).toBe("done");
  });

  it("cancels what it has opened when a position is refused, and looks whether it is gone", async () => {
    device.say({ FF46: "FF4633" });
    await settled(device.register.inspect(deadlineIn(clock, 10_000)));
    device.say({ "10": ["10001E9202080000A0DD01C0001D0800", "10001E9202020000A0DD01C0001D0800"] });
    expect(await perform(COFFEE)).toMatchObject({ kind: "refused", refusal: { code: "device-refused", device: { code: "33h" } } });
    expect(sent("88")).toEqual(["881E000000"]);
    expect(sent("FF45")).toEqual([]);
  });

  it("refuses an underpaid receipt with the device's number and the sums, once the drive shows nothing new", async () => {
    device.say({ FF45: "FF4545", FF0A: "FF0A08" });
    expect(await perform(COFFEE)).toMatchObject({
      kind: "refused",
      refusal: { code: "payments-differ", details: { total: "149.85", paid: "149.85" }, device: { code: "45h" } },
    });
  });

  it("does not take a refusal for one when the drive has a new document", async () => {
    device.say({ FF45: "FF4530" });
    await settled(device.register.inspect(deadlineIn(clock, 10_000)));
    device.say({ FF01: "FF010003000001001A030E0A0739393939303738393030303031323334570100 00" });
    expect((await perform(COFFEE)).kind).toBe("in-doubt");
  });

  it.each(["FF4545", "FF4530"])(
    "does not take a refusal for one when the drive has a document behind the number that its status repeats: %s",
    async (refusal) => {
      device.say({ FF45: refusal });
      expect((await perform(COFFEE)).kind).toBe("in-doubt");
    },
  );

  it("is in doubt when FF45 is not answered, and has sent it once", async () => {
    device.say({ FF45: "" });
    expect((await perform(COFFEE)).kind).toBe("in-doubt");
    expect(sent("FF45")).toHaveLength(1);
  });

  it("waits while the device prints and sends the same command again", async () => {
    await settled(device.register.inspect(deadlineIn(clock, 10_000)));
    device.say({
      "8D": ["8D50", "8D50", "8D0001"],
      "10": ["10001E9202080500A0DD01C0001D0800", "10001E9202080500A0DD01C0001D0800", "10001E9202020000A0DD01C0001D0800"],
    });
    expect((await perform(COFFEE)).kind).toBe("done");
    expect(sent("8D")).toHaveLength(3);
  });

  it("lets the device print on when its paper is back", async () => {
    await settled(device.register.inspect(deadlineIn(clock, 10_000)));
    device.say({
      "8D": ["8D58", "8D0001"],
      B0: "B00001",
      "10": ["10001E9002080301 9FD80000000008 01".replaceAll(" ", ""), "10001E9202020000A0DD01C0001D0800"],
    });
    expect((await perform(COFFEE)).kind).toBe("done");
    expect(sent("B0")).toHaveLength(1);
  });

  it("says that there is no paper when it stops for want of it", async () => {
    await settled(device.register.inspect(deadlineIn(clock, 10_000)));
    device.say({ "8D": "8D6B", "10": "10001E1000020100A0DD01C0001D0800" });
    expect(await perform(COFFEE)).toMatchObject({ kind: "refused", refusal: { code: "no-paper", device: { code: "6Bh" } } });
  });

  it("names the shift that has lasted too long", async () => {
    await settled(device.register.inspect(deadlineIn(clock, 10_000)));
    device.say({ "8D": "8D4E" });
    expect(await perform(COFFEE)).toMatchObject({ kind: "refused", refusal: { code: "shift-expired", device: { code: "4Eh" } } });
  });

  it("tells of a wrong password where to look for it", async () => {
    device.say({ "11": "114F" });
    const outcome = await perform(COFFEE);
    expect(outcome).toMatchObject({ kind: "refused", refusal: { code: "register-unreachable" } });
    if (outcome.kind === "refused") expect(outcome.refusal.details?.reason).toMatch(/systemPassword/);
  });

  it("refuses more cash out than there is, in the drawer's words", async () => {
    device.say({ "51": "5146" });
    expect(await perform(cashDocument("cash-out", 200_000))).toMatchObject({
      kind: "refused",
      refusal: { code: "cash-short", details: { drawer: "1234.56", required: "2000.00" } },
    });
    expect(sent("51")).toEqual(["5101000000400D030000"]);
  });

  it("sends cash in as the reference has it", async () => {
    device.say({ "50": "5000014D00" });
    expect(await perform(cashDocument("cash-in", 100_000))).toMatchObject({
      kind: "done",
      facts: { kind: "cash", time: "2017-03-01 13:47:21", drawerKopecks: 123_456, shiftNumber: 57 },
    });
    expect(sent("50")).toEqual(["5001000000A086010000"]);
  });

  it("closes a shift as the reference has it: FF42, the cashier, 41h", async () => {
    device.say({
      FF42: "FF4200",
      "41": "41001E",
      "1A1E000000F2": "1A001E204E00000000",
      "1A1E000000F3": "1A001E102700000000",
      FF0A1E00000057010000: "FF0A0005001A030E0A0757010000F2BF0B3E3900",
      FF3A: "FF3A00050014 00",
      FF3B: ["FF3B000E04040039000000", "FF3B00FD03040088A22E88", "FF3B08"],
    });
    await settled(device.register.inspect(deadlineIn(clock, 10_000)));
    device.say({
      FF01: [
        "FF010003000001001A030E0A0539393939303738393030303031323334560100 00",
        "FF010003000000001A030E0A0739393939303738393030303031323334570100 00",
      ],
    });
    expect(await perform(shiftDocument("close-shift", { cashierName: "Иванов И.И." }))).toMatchObject({
      kind: "done",
      facts: {
        document: "close-shift",
        documentNumber: 343,
        shiftNumber: 57,
        shiftReport: { drawer: { inKopecks: 20_000, outKopecks: 10_000, balanceKopecks: 123_456 } },
      },
    });
    expect(device.asked.filter((data) => /^(FF42|FF0C|41)/.test(data))).toEqual([
      "FF421E000000",
      "FF0C1E000000FD030B0088A2A0ADAEA220882E882E",
      "411E000000",
    ]);
  });

  it("reads a document piece by piece to its end, and again while the device prints", async () => {
    device.say({
      FF0A: "FF0A0003001A030E0A0757010000F2BF0B3E01893A000000",
      FF3A: ["FF3A73", "FF3A0003002400"],
      FF3B: [
        "FF3B000E0404003900 0000",
        "FF3B001204 040 00D000000",
        "FF3B001E04010001",
        "FF3B00FC030200893A",
        "FF3B00A80405006C6F742037",
        "FF3B08",
      ],
    });
    const found = await settled(device.register.lookUp(343, deadlineIn(clock, 60_000)));
    expect(found).toMatchObject({
      kind: "found",
      reference: "lot 7",
      facts: { documentNumber: 343, fiscalSign: "1040957426", shiftNumber: 57, receipt: { number: 13, sign: 1, totalKopecks: 14_985 } },
    });
    expect(sent("FF3B")).toHaveLength(6);
  });

  it("asks for a document anew when a piece of it has gone by on a bad line", async () => {
    const pieces = [
      "FF3B000E0404003900 0000",
      "FF3B001204 040 00D000000",
      "FF3B001E04010001",
      "FF3B00FC030200893A",
      "FF3B00A80405006C6F742037",
    ];
    device.say({
      FF0A: "FF0A0003001A030E0A0757010000F2BF0B3E01893A000000",
      FF3A: "FF3A0003002400",
      FF3B: [...pieces.toSpliced(1, 1), "FF3B08", ...pieces, "FF3B08"],
    });
    const found = await settled(device.register.lookUp(343, deadlineIn(clock, 60_000)));
    expect(found).toMatchObject({ kind: "found", reference: "lot 7", facts: { receipt: { number: 13 } } });
    expect(sent("FF3A")).toHaveLength(2);
  });

  it("believes a document that comes out alike twice, whatever length the device has told", async () => {
    const pieces = ["FF3B000E0404003900 0000", "FF3B001204 040 00D000000", "FF3B001E04010001", "FF3B00FC030200893A", "FF3B08"];
    device.say({
      FF0A: "FF0A0003001A030E0A0757010000F2BF0B3E01893A000000",
      FF3A: "FF3A0003002001",
      FF3B: [...pieces, ...pieces],
    });
    const found = await settled(device.register.lookUp(343, deadlineIn(clock, 60_000)));
    expect(found).toMatchObject({ kind: "found", facts: { receipt: { number: 13 } } });
    expect(sent("FF3A")).toHaveLength(2);
  });

  it("does not wait for an opening report to be printed, and tells what the drive's status says", async () => {
    device.say({
      FF40: "FF4000003900 0000",
      "11": "11001E43314A860D0111013700B2020400004E4100000101100103110D2F15008F1000000900000000 0000AEA9DB560100",
      FF41: "FF4100",
      E0: "E0001E",
      "10": "10001E9202020500A0DD01C0001D0800",
      FF3A: "FF3A73",
      FF0A1E00000057010000: "FF0A0002001A030E0A0757010000F2BF0B3E3A00",
      FF01: [
        "FF010003000000021A030E0A0539393939303738393030303031323334560100 00",
        "FF010003000001021A030E0A0739393939303738393030303031323334570100 00",
      ],
    });
    const startMs = clock.monotonicMs();
    expect(await perform(shiftDocument("open-shift", { cashierName: "Иванов И.И." }))).toMatchObject({
      kind: "done",
      facts: {
        document: "open-shift",
        documentNumber: 343,
        shiftNumber: 58,
        cashierName: "Иванов И.И.",
        warnings: { keysExpireSoon: true, keysExpireNow: false },
      },
    });
    expect(clock.monotonicMs() - startMs).toBeLessThan(1_000);
  });

  it.each([
    ["the last one's", "56010000"],
    ["an older one's", "01000000"],
    ["none", "00000000"],
    ["one far ahead", "FEFFFFFF"],
  ])("believes no closing that is answered with a number that is %s", async (_, number) => {
    device.say({ FF45: `FF450000000000 00${number}F2BF0B3E` });
    expect((await perform(COFFEE)).kind).toBe("in-doubt");
    expect(sent("FF45")).toHaveLength(1);
  });

  it("does not find what the drive does not have", async () => {
    device.say({ FF0A: "FF0A08" });
    expect(await settled(device.register.lookUp(343, deadlineIn(clock, 10_000)))).toEqual({ kind: "absent" });
  });
});
