import { beforeEach, describe, expect, it } from "vitest";
import { deadlineIn } from "../../../../../src/kernel/deadline.ts";
import type { RegisterDocument } from "../../../../../src/model/document.ts";
import type { Outcome } from "../../../../../src/registers/register.ts";
import { correctionDocument } from "../../../../support/marked-documents.ts";
import { receiptLine, tendersOf } from "../../../../support/register-documents.ts";
import { MORNING_MS } from "../../../../support/registers.ts";
import { AT_REST, type Script, type Scripted, scripted } from "../../../../support/shtrih-m-script.ts";
import { readVectors } from "../../../../support/shtrih-m-vectors.ts";
import { VirtualClock } from "../../../../support/virtual-clock.ts";

const FFD_105: Script = { "1F1E000000110100 11": "1F0002" };
/** The answer to FF4A in shtrih-protocol 14.1: receipt 13, FD 345, sign 01020304. With T17F36 = 1 the time follows it. */
const MADE = "FF4A000D005901000004030201";
const ANSWERED: Script = {
  "8D": "8D0001",
  FF0C: "FF0C00",
  FF46: "FF4600",
  FF45: "FF4500000000000057010000F2BF0B3E1A030E0A07",
  FF35: "FF3500",
  FF4A: `${MADE}1A030E0A07`,
  "88": "880001",
  FF08: "FF0800",
};

/** 500.00 in cash with 20 % in it, on the seller's own initiative: the vector of FF4A. */
const OLD = correctionDocument({
  cashierName: "Иванов И.И.",
  basis: { kind: "own", settledOn: "2026-03-14" },
  lines: [receiptLine({ priceKopecks: 50_000, sumKopecks: 50_000, vat: 1, vatKopecks: 8_333 })],
  totalKopecks: 50_000,
  tenders: tendersOf({ cashKopecks: 50_000 }),
  vatTotals: [{ vat: 1, sumKopecks: 8_333 }],
});

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

function sent(code: RegExp): string[] {
  return device.asked.filter((data) => code.test(data));
}

function vector(title: string): string {
  const found = readVectors().find((one) => one.title === title);
  if (found === undefined) throw new Error(`no vector ${title}`);
  return found.data.toString("hex").toUpperCase();
}

describe("the driver makes corrections of format 1.05", () => {
  beforeEach(() => device.say(FFD_105));

  it("as the vectors have it: FF35, the tags, FF4A, and nothing of a receipt", async () => {
    expect(await perform(OLD)).toMatchObject({
      kind: "done",
      facts: {
        document: "correction",
        documentNumber: 345,
        fiscalSign: "0016909060",
        time: "2026-03-14 10:07:00",
        shiftNumber: 57,
        receipt: { number: 13, sign: 1, totalKopecks: 50_000 },
      },
    });
    const commands = sent(/^(FF35|FF0C|FF4A|8D|FF46|FF45)/);
    expect(commands[0]).toBe(vector("14.1 begin correction by host"));
    expect(commands.at(-1)).toBe(vector("14.1 correction receipt by host"));
    expect(commands.slice(1, -1).every((data) => data.startsWith("FF0C1E000000"))).toBe(true);
    // Tag 1173, the kind of the correction, is not sent, because it is a field of FF4A.
    expect(commands.some((data) => data.startsWith("FF0C1E0000009504"))).toBe(false);
  });

  it("with the basis of the vector: what it is about, the day, the number of the order", async () => {
    await perform({ ...OLD, basis: { kind: "order", settledOn: "2026-03-14", orderNumber: "12/3", description: "Акт" } });
    // FF0C with tag 1174 in shtrih-protocol 14.1.
    expect(sent(/^FF0C1E0000009604/)).toEqual(["FF0C1E00000096041700990403 0080AAE29A04040000A5B4699B040400 31322F33".replaceAll(" ", "")]);
    expect(sent(/^FF4A/)[0]?.slice(12, 14)).toBe("01");
  });

  it("in doubt when FF4A is not answered, having sent it once", async () => {
    device.say({ FF4A: "" });
    expect((await perform(OLD)).kind).toBe("in-doubt");
    expect(sent(/^FF4A/)).toHaveLength(1);
  });

  it("and asks the drive for the time where FF4A does not tell it", async () => {
    await settled(device.register.inspect(deadlineIn(clock, 10_000)));
    device.say({
      FF4A: MADE,
      FF01: [
        "FF010003000001001A030E0A0539393939303738393030303031323334560100 00",
        "FF010003000001001A030E0A0939393939303738393030303031323334590100 00",
      ],
    });
    expect(await perform(OLD)).toMatchObject({ kind: "done", facts: { time: "2026-03-14 10:09:00" } });
  });

  it("gives up what was begun when a tag is refused", async () => {
    device.say({ FF0C: "FF0C33" });
    await settled(device.register.inspect(deadlineIn(clock, 10_000)));
    device.say({
      FF01: [
        "FF010003000001001A030E0A0539393939303738393030303031323334560100 00",
        "FF010003140001001A030E0A0539393939303738393030303031323334560100 00",
        "FF010003000001001A030E0A0539393939303738393030303031323334560100 00",
      ],
    });
    expect(await perform(OLD)).toMatchObject({ kind: "refused", refusal: { device: { code: "33h" } } });
    expect(sent(/^FF08/)).toHaveLength(1);
    expect(sent(/^FF4A/)).toEqual([]);
  });

  it("and refuses a rate that FF4A has no field for before anything is begun", async () => {
    const outcome = await perform({ ...OLD, vatTotals: [{ vat: 7, sumKopecks: 2_381 }] });
    expect(outcome).toMatchObject({ kind: "refused", refusal: { code: "vat-rate", details: { rate: "5" } } });
    const newRate = await perform({ ...OLD, vatTotals: [{ vat: 11, sumKopecks: 9_016 }] });
    expect(newRate).toMatchObject({ kind: "refused", refusal: { code: "vat-rate", details: { rate: "22" } } });
    expect(sent(/^(FF35|FF0C|FF4A)/)).toEqual([]);
  });

  it.each([2, 4] as const)("but none with sign %i, in words and before anything is sent", async (sign) => {
    expect(await perform({ ...OLD, sign })).toMatchObject({
      kind: "refused",
      refusal: { device: { words: expect.stringContaining("коррекции возвратов") } },
    });
    expect(sent(/^(FF35|FF0C|FF4A|8D)/)).toEqual([]);
  });
});

describe("the driver makes corrections of format 1.2", () => {
  it.each([
    [1, "80", "01"],
    [2, "82", "02"],
    [3, "81", "03"],
    [4, "83", "04"],
  ] as const)("of sign %i by 8Dh %s and positions of operation %s", async (sign, type, operation) => {
    expect(await perform({ ...OLD, sign })).toMatchObject({
      kind: "done",
      facts: { document: "correction", documentNumber: 343, receipt: { number: 13, sign, totalKopecks: 50_000 } },
    });
    expect(sent(/^8D/)).toEqual([`8D01000000${type}`]);
    expect(sent(/^FF46/)[0]?.slice(12, 14)).toBe(operation);
    expect(sent(/^(FF35|FF4A)/)).toEqual([]);
  });

  it("with kind and basis as tags, then the sign of the wrong receipt and our id, before the positions", async () => {
    await perform({ ...OLD, basis: { kind: "order", settledOn: "2026-03-14", orderNumber: "12/3", description: "Акт" } });
    const order = sent(/^(8D|FF0C|FF46|FF45)/).map((data) => (data.startsWith("FF0C") ? data.slice(12, 16) : data.slice(0, 4)));
    expect(order).toEqual(["8D01", "FD03", "9504", "9604", "A804", "3C04", "FF46", "FF45"]);
    expect(sent(/^FF0C1E0000009504/)).toEqual(["FF0C1E0000009504010001"]);
    // The later formats do not have the old description.
    expect(sent(/^FF0C1E0000009604/)).toEqual(["FF0C1E000000960410009A04040000A5B4699B04040031322F33"]);
  });

  it("and cancels a correction whose position is refused", async () => {
    device.say({ FF46: "FF4633" });
    await settled(device.register.inspect(deadlineIn(clock, 10_000)));
    device.say({ "10": ["10001E9202080000A0DD01C0001D0800", "10001E9202020000A0DD01C0001D0800"] });
    expect(await perform(OLD)).toMatchObject({ kind: "refused", refusal: { device: { code: "33h" } } });
    expect(sent(/^88/)).toEqual(["881E000000"]);
  });
});

describe("the driver finds corrections", () => {
  it("by type 31 of FF0A, with the id of tag 1084 and never that of 1192", async () => {
    device.say({
      FF0A: "FF0A001F001A030E0A07590100000403020101 50C3000000".replaceAll(" ", ""),
      FF3A: "FF3A001F002900",
      FF3B: [
        "FF3B000E04040039000000",
        "FF3B00120404000D000000",
        "FF3B001E04010001",
        "FF3B00FC03020050C3",
        "FF3B00A8040A0031323034373435313731",
        "FF3B08",
      ],
    });
    const found = await settled(device.register.lookUp(345, deadlineIn(clock, 60_000)));
    expect(found).toMatchObject({
      kind: "found",
      facts: {
        document: "correction",
        documentNumber: 345,
        fiscalSign: "0016909060",
        receipt: { number: 13, sign: 1, totalKopecks: 50_000 },
      },
    });
    expect(found).not.toHaveProperty("reference");
  });
});
