import { describe, expect, it } from "vitest";
import { readTlvs, readValue } from "../../../../../src/registers/tags/tlv.ts";
import {
  bytesOf,
  CANCEL,
  CLOSE_SALE,
  CLOSE_SHIFT,
  COFFEE,
  closing,
  DeviceTrial,
  type Host,
  OPEN_SALE,
  OPEN_SHIFT,
  STATUS,
  sell,
} from "../../../../support/shtrih-m-device.ts";

async function opened(options: Parameters<typeof DeviceTrial.begin>[0] = {}): Promise<{ trial: DeviceTrial; host: Host }> {
  const trial = await DeviceTrial.begin(options);
  const host = trial.connect();
  await host.ask(OPEN_SHIFT);
  return { trial, host };
}

/** Reads a document to its end by FF3A and FF3B, as a host does. */
async function documentOf(host: Host, number: number): Promise<{ tag: number; value: unknown }[]> {
  const head = bytesOf(await host.ask(`FF3A 1E000000 ${number.toString(16).padStart(2, "0")}000000`));
  const pieces: Buffer[] = [];
  for (;;) {
    const piece = bytesOf(await host.ask("FF3B 1E000000"));
    if (piece[2] === 0x08) break;
    pieces.push(piece.subarray(3));
  }
  const content = Buffer.concat(pieces);
  expect(content).toHaveLength(head.readUInt16LE(5));
  return (readTlvs(content) ?? []).map((raw) => ({ tag: raw.tag, value: readValue(raw) }));
}

function requisiteOf(document: { tag: number; value: unknown }[], tag: number): unknown {
  return document.find((requisite) => requisite.tag === tag)?.value;
}

function itemOf(document: { tag: number; value: unknown }[]): Record<number, unknown> {
  const item = requisiteOf(document, 1059);
  return Object.fromEntries((Array.isArray(item) ? item : []).map((raw) => [raw.tag, readValue(raw)]));
}

const mode = (status: string) => status.split(" ")[5];
const submode = (status: string) => status.split(" ")[6];

describe("a receipt", () => {
  it("shows its mode and its operations while it is open, and is registered by FF45", async () => {
    const { host } = await opened();
    await host.all(OPEN_SALE, COFFEE, COFFEE);
    const status = (await host.ask(STATUS)).split(" ");
    expect([status[5], status[7]]).toEqual(["08", "02"]);
    expect(await host.ask("89 01000000")).toBe("89 00 01 12 75 00 00 00");
    expect(await host.ask("FF01 1E000000")).toMatch(/^FF 01 00 03 04 01 01 /);
    expect(await host.ask(closing({ cash: 30_000 }))).toMatch(/^FF 45 00 1E 00 00 00 00 03 00 00 00 /);
    expect(mode(await host.ask(STATUS))).toBe("02");
  });

  it("is found by its number with operation and sum, and read back with everything that was sent", async () => {
    const { host } = await opened();
    await host.all(
      OPEN_SALE,
      "FF0C 01000000 FD03 0B00 88A2A0ADAEA220882E882E",
      "FF0C 01000000 B304 0C00 353030313030373332323539",
      "FF0C 01000000 A804 0700 4F522D31303031",
      COFFEE,
      "FF4D 01000000 A704 0500 6C6F742037",
      "FF4D 01000000 3C08 0100 0B",
      CLOSE_SALE,
    );
    expect(await host.ask("FF0A 1E000000 03000000")).toMatch(/^FF 0A 00 03 01 1A 03 0E 0A 07 03 00 00 00 .* 01 89 3A 00 00 00$/);
    const document = await documentOf(host, 3);
    expect([1021, 1203, 1192, 1054, 1055, 1020, 1031, 1081].map((tag) => requisiteOf(document, tag))).toEqual([
      "Иванов И.И.",
      Buffer.from("500100732259"),
      "OR-1001",
      1,
      1,
      14_985,
      10_000,
      4_985,
    ]);
    expect(itemOf(document)).toMatchObject({ 1030: "Кофе", 1023: 1_500_000, 1079: 9_990, 1043: 14_985, 1199: 11, 2108: 11 });
    expect(itemOf(document)[1191]).toEqual(Buffer.from("lot 7"));
  });

  it("keeps names by the nearest letters of CP866, and refuses none for its letters or its length", async () => {
    const { trial, host } = await opened();
    // The names are «Чай» — 5… and 128 ellipses. In CP866 an ellipsis becomes three dots.
    for (const name of ["ABD7E0E9BB209720 3585".replace(" ", ""), "85".repeat(128)]) {
      await host.all(OPEN_SALE, COFFEE.replace("CAEEF4E5", name));
      expect(await host.ask(CLOSE_SALE)).toMatch(/^FF 45 00 /);
    }
    expect(itemOf(await documentOf(host, 3))[1030]).toBe('"Чай" - 5...');
    expect(itemOf(await documentOf(host, 4))[1030]).toBe(".".repeat(128));
    // T2R1F2, the cashier's name, becomes 64 ellipses.
    await host.ask(`1E 1E000000 02 0100 02 ${"85".repeat(64)}`);
    await host.all(OPEN_SALE, COFFEE, CLOSE_SALE);
    expect(trial.front.state().lastDocument).toBe(5);
    expect(requisiteOf(await documentOf(host, 5), 1021)).toBe(".".repeat(64));
  });

  it("is opened by its first FF46 too, as one of its own type", async () => {
    const { host } = await opened();
    await host.ask("50 1E000000 A086010000");
    await host.ask(COFFEE.replace("01000000 01", "01000000 02"));
    expect(mode(await host.ask(STATUS))).toBe("28");
    expect(await host.ask(closing({ cash: 14_985 }))).toMatch(/^FF 45 00 /);
    expect(await host.ask("1A 1E000000 F1")).toBe("1A 00 1E 17 4C 01 00 00 00");
  });

  it("refuses an operation of another type, another cashier, and a second 8Dh", async () => {
    const { host } = await opened();
    await host.ask(OPEN_SALE);
    expect(await host.ask(COFFEE.replace("01000000 01", "01000000 02"))).toBe("FF 46 49");
    expect(await host.ask(COFFEE.replace("01000000 01", "02000000 01"))).toBe("FF 46 59");
    expect(await host.ask(OPEN_SALE)).toBe("8D 4A");
    expect(await host.ask(CLOSE_SHIFT)).toBe("41 4A");
    expect(await host.ask(COFFEE.replace("01000000 01", "1E000000 01"))).toBe("FF 46 00");
  });

  it("takes a given sum within one kopeck of price and quantity, and computes one that is not given", async () => {
    const { host } = await opened();
    await host.ask(OPEN_SALE);
    expect(await host.ask(COFFEE.replace("893A", "8A3A"))).toBe("FF 46 00");
    expect(await host.ask(COFFEE.replace("893A", "8B3A"))).toBe("FF 46 33");
    expect(await host.ask(COFFEE.replace("893A000000", "FFFFFFFFFF"))).toBe("FF 46 00");
    expect(await host.ask("89 01000000")).toBe("89 00 01 13 75 00 00 00");
  });

  it("drops kopecks by its rounding, never roubles", async () => {
    const { host } = await opened();
    await host.all(OPEN_SALE, COFFEE);
    expect(await host.ask(closing({ cash: 15_000, rounding: 86 }))).toBe("FF 45 33");
    expect(await host.ask(closing({ cash: 14_900, rounding: 85 }))).toMatch(/^FF 45 00 00 00 00 00 00 /);
  });

  it("refuses too little money, too much without cash, a foreign tax system, and stays open", async () => {
    const { host } = await opened();
    await host.all(OPEN_SALE, COFFEE);
    expect(await host.ask(closing({ cash: 14_984 }))).toBe("FF 45 45");
    expect(await host.ask(closing({ electronic: 14_986 }))).toBe("FF 45 4D");
    expect(await host.ask(closing({ cash: 14_985, taxSystem: 0x08 }))).toBe("FF 45 33");
    expect(mode(await host.ask(STATUS))).toBe("08");
    expect(await host.ask(CANCEL)).toBe("88 00 01");
    expect(await host.ask(CANCEL)).toBe("88 55");
    expect(await host.ask(CLOSE_SALE)).toBe("FF 45 55");
  });

  it("takes tax system 0 as its own where one is registered, and no other then", async () => {
    const { host } = await opened({ seller: { taxSystems: ["usn-income"] } });
    await host.all(OPEN_SALE, COFFEE);
    expect(await host.ask(closing({ cash: 14_985, taxSystem: 1 }))).toBe("FF 45 09");
    expect(await host.ask(closing({ cash: 14_985, taxSystem: 0 }))).toMatch(/^FF 45 00 /);
  });

  it("refuses tags that are repeated, that the register makes itself, that are malformed or come without a document", async () => {
    const { host } = await opened();
    const contact = "FF0C 01000000 F003 0500 6140622E63";
    expect(await host.ask(contact)).toBe("FF 0C 02");
    await host.all(OPEN_SALE, contact);
    expect(await host.ask(contact)).toBe("FF 0C 33");
    expect(await host.ask("FF0C 01000000 FC03 0100 05")).toBe("FF 0C 33");
    expect(await host.ask("FF0C 01000000 B304 0C00 373736363838383332312020")).toBe("FF 0C 33");
    expect(await host.ask("FF0C 01000000 A804 1100 3030303030303030303030303030303030")).toBe("FF 0C 10");
    expect(await host.ask("FF0C 01000000 A804 1000 30")).toBe("FF 0C 33");
    expect(await host.ask("FF4D 01000000 A704 0100 30")).toBe("FF 4D 5E");
    await host.ask(COFFEE);
    expect(await host.ask("FF4D 01000000 FF03 0200 0001")).toBe("FF 4D 33");
  });

  it("takes tags longer than a command in blocks", async () => {
    const { host } = await opened();
    await host.ask(OPEN_SALE);
    const name = `3D04 0200 ${"4944"}`;
    const value = `3E04 0001 ${"41".repeat(256)}`;
    const structure = bytesOf(`3C04 0A01 ${name} ${value}`);
    const filled = Buffer.concat([structure, Buffer.alloc(320 - structure.length)]);
    for (let block = 0; block < 5; block += 1) {
      const data = filled.subarray(block * 64, (block + 1) * 64).toString("hex");
      expect(await host.ask(`DD 01000000 01 0${block} ${data}`)).toBe("DD 00");
    }
    expect(await host.ask("FF64 01000000")).toBe("FF 64 00");
    await host.all(COFFEE, CLOSE_SALE);
    const custom = requisiteOf(await documentOf(host, 3), 1084);
    expect(Array.isArray(custom) && custom.map((raw) => readValue(raw))).toEqual(["ID", "A".repeat(256)]);
  });

  it("on an Android device has the tags of an item before it", async () => {
    const trial = await DeviceTrial.begin({ personality: "cashcore" });
    const host = trial.connect();
    await host.all(OPEN_SALE, "FF4D 01000000 A704 0500 6C6F742031", COFFEE, COFFEE, "FF4D 01000000 A704 0500 6C6F742032");
    expect(await host.ask(closing({ cash: 30_000 }))).toBe("FF 45 5E");
    await host.all(COFFEE, closing({ cash: 50_000 }));
    // The device has opened the shift, so the sale is document 3.
    const items = (await documentOf(host, 3)).filter(({ tag }) => tag === 1059).map((item) => itemOf([item])[1191]);
    expect(items).toEqual([Buffer.from("lot 1"), undefined, Buffer.from("lot 2")]);
  });

  it("has the rate that its byte means: 22 % for 20 % while the setting says so", async () => {
    const { host } = await opened();
    const rated = (rate: string) => COFFEE.replace("FFFFFFFFFF 01", `FFFFFFFFFF ${rate}`);
    await host.all(
      OPEN_SALE,
      ...["01", "02", "04", "08", "10", "20", "81", "82", "84", "88", "CB", "CC"].map(rated),
      closing({ cash: 200_000 }),
    );
    const rates = async (number: number) =>
      (await documentOf(host, number)).filter(({ tag }) => tag === 1059).map((item) => itemOf([item])[1199]);
    expect(await rates(3)).toEqual([11, 2, 5, 6, 12, 4, 7, 8, 9, 10, 11, 12]);
    await host.ask("1E 1E000000 11 0100 47 00");
    await host.all(OPEN_SALE, rated("01"), rated("10"), closing({ cash: 200_000 }));
    expect(await rates(4)).toEqual([1, 3]);
    await host.ask(OPEN_SALE);
    expect(await host.ask(rated("03"))).toBe("FF 46 33");
  });

  it("says on every slip that this is no cash register", async () => {
    const { trial, host } = await opened();
    await sell(host);
    await host.ask(CLOSE_SHIFT);
    expect(trial.paper.filter((line) => line.includes("НЕ ЯВЛЯЕТСЯ КАССОВЫМ ЧЕКОМ"))).toHaveLength(3);
  });
});

describe("shift and drawer", () => {
  it("are refused where the mode does not allow them", async () => {
    const host = (await DeviceTrial.begin()).connect();
    expect(await host.ask(CLOSE_SHIFT)).toBe("41 73");
    expect(await host.ask(OPEN_SALE)).toBe("8D 3D");
    expect(await host.ask(COFFEE)).toBe("FF 46 3D");
    expect(await host.ask("50 1E000000 E803000000")).toBe("50 3D");
    await host.ask(OPEN_SHIFT);
    expect(await host.ask(OPEN_SHIFT)).toBe("E0 73");
    expect(await host.ask("21 1E000000 0A0500")).toBe("21 73");
  });

  it("count cash, slips and receipts in their registers", async () => {
    const { host } = await opened();
    expect(await host.ask("50 1E000000 A086010000")).toBe("50 00 1E 03 00");
    expect(await host.ask("51 1E000000 E803000000")).toBe("51 00 1E 04 00");
    await sell(host);
    expect(await host.ask("1A 1E000000 F1")).toBe("1A 00 1E C8 A9 01 00 00 00");
    expect(await host.ask("1A 1E000000 F2")).toBe("1A 00 1E A0 86 01 00 00 00");
    expect(await host.ask("1A 1E000000 C1")).toBe("1A 00 1E 10 27 00 00 00 00");
    expect(await host.ask("1A 1E000000 C5")).toBe("1A 00 1E 79 13 00 00 00 00");
    expect(await host.ask("1B 1E000000 99")).toBe("1B 00 1E 01 00");
    expect(await host.ask("1B 1E000000 90")).toBe("1B 00 1E 01 00");
    expect(await host.ask("1B 1E000000 98")).toBe("1B 00 1E 05 00");
    expect(await host.ask("FF40 1E000000")).toBe("FF 40 00 01 01 00 01 00");
    expect(await host.ask("FEF4 00 000000")).toMatch(/^FE 00 89 3A 00 00 00 00 00 00 /);
  });

  it("give number, sign and, where the table says so, time", async () => {
    const host = (await DeviceTrial.begin()).connect();
    await host.ask("1E 1E000000 11 0100 24 01");
    expect(await host.ask("FF0B 1E000000")).toMatch(/^FF 0B 00 01 00 02 00 00 00 .{11} 1A 03 0E 0A 07$/);
    await host.all(OPEN_SALE, COFFEE);
    expect((await host.ask(CLOSE_SALE)).split(" ")).toHaveLength(21);
    expect((await host.ask("FF43 1E000000")).split(" ")).toHaveLength(18);
  });

  it("leave a begun report in the drive until it is made or given up", async () => {
    const host = (await DeviceTrial.begin()).connect();
    await host.ask("FF41 1E000000");
    expect(await host.ask("FF01 1E000000")).toMatch(/^FF 01 00 03 02 00 00 /);
    expect(await host.ask("FF41 1E000000")).toBe("FF 41 02");
    expect(await host.ask("FF08 1E000000")).toBe("FF 08 00");
    expect(await host.ask("FF08 1E000000")).toBe("FF 08 02");
    expect(await host.ask(OPEN_SHIFT)).toBe("E0 00 1E");
  });

  it("refuse sales after 24 hours, and close", async () => {
    const { trial, host } = await opened();
    await host.all(OPEN_SALE, COFFEE);
    await trial.clock.advance(24 * 3_600_000);
    expect(await host.ask(CLOSE_SALE)).toBe("FF 45 16");
    await host.ask(CANCEL);
    expect(mode(await host.ask(STATUS))).toBe("03");
    expect(await host.ask(OPEN_SALE)).toBe("8D 4E");
    expect(await host.ask(OPEN_SHIFT)).toBe("E0 73");
    expect(await host.ask(CLOSE_SHIFT)).toBe("41 00 1E");
  });
});

describe("modes", () => {
  it("stay at data output until the document has been read to its end, on a desktop device", async () => {
    const { host } = await opened();
    await host.ask("FF3A 1E000000 02000000");
    expect(mode(await host.ask(STATUS))).toBe("01");
    expect(await host.ask(OPEN_SALE)).toBe("8D 73");
    expect(await host.ask("03 1E000000")).toBe("03 00 1E");
    expect(await host.ask(OPEN_SALE)).toBe("8D 00 01");
  });

  it("keep the receipt's mode while it is printed, and refuse printing commands meanwhile", async () => {
    const { trial, host } = await opened({ printMs: 1_000 });
    await trial.clock.advance(1_000);
    await sell(host);
    const status = await host.ask(STATUS);
    expect([mode(status), submode(status)]).toEqual(["08", "05"]);
    expect(await host.ask(OPEN_SALE)).toBe("8D 50");
    expect(await host.frame("02 0A FF 3A 1E 00 00 00 1D 00 00 00 CC")).toBe("02 03 FF 3A 73 B5");
    expect(await host.frame("02 06 FF 3B 1E 00 00 00 DC")).toBe("02 03 FF 3B 73 B4");
    expect(await host.ask("FF40 1E000000")).toMatch(/^FF 40 00/);
    await trial.clock.advance(1_000);
    expect(mode(await host.ask(STATUS))).toBe("02");
    expect(await host.ask(OPEN_SALE)).toBe("8D 00 01");
  });

  it("have submode 1 without paper: nothing is printed, an open receipt can be given up", async () => {
    const { trial, host } = await opened();
    await host.all(OPEN_SALE, COFFEE);
    trial.front.setPaper(false);
    expect(submode(await host.ask(STATUS))).toBe("01");
    expect(await host.ask(CLOSE_SALE)).toBe("FF 45 6B");
    expect(await host.ask(CANCEL)).toBe("88 00 01");
    expect(await host.ask(OPEN_SALE)).toBe("8D 6B");
    trial.front.setPaper(true);
    expect(submode(await host.ask(STATUS))).toBe("00");
  });

  it("wait for B0h once paper is back after printing stopped", async () => {
    const { trial, host } = await opened({ printMs: 1_000 });
    await trial.clock.advance(1_000);
    await sell(host);
    trial.front.setPaper(false);
    expect(submode(await host.ask(STATUS))).toBe("02");
    expect(await host.ask(OPEN_SALE)).toBe("8D 6B");
    trial.front.setPaper(true);
    expect(submode(await host.ask(STATUS))).toBe("03");
    expect(await host.ask(OPEN_SALE)).toBe("8D 58");
    await host.ask("B0 01000000");
    expect(submode(await host.ask(STATUS))).toBe("05");
    await trial.clock.advance(1_000);
    expect(await host.ask(OPEN_SALE)).toBe("8D 00 01");
  });

  it("print nothing where table 17 says so, once or always", async () => {
    const { trial, host } = await opened({ printMs: 1_000 });
    await trial.clock.advance(1_000);
    await host.ask("1E 1E000000 11 0100 07 01");
    await sell(host);
    expect(submode(await host.ask(STATUS))).toBe("00");
    expect(await host.ask("1F 1E000000 11 0100 07")).toBe("1F 00 00");
    await sell(host);
    expect(submode(await host.ask(STATUS))).toBe("05");
  });

  it("wait for the confirmation of a new date", async () => {
    const trial = await DeviceTrial.begin();
    const host = trial.connect();
    await host.ask("22 1E000000 0F031A");
    expect(mode(await host.ask(STATUS))).toBe("06");
    expect(await host.ask(OPEN_SHIFT)).toBe("E0 C0");
    expect(await host.ask("23 1E000000 10031A")).toBe("23 7C");
    expect(await host.ask("23 1E000000 0F031A")).toBe("23 00");
    expect(trial.front.state().time.slice(0, 10)).toBe("2026-03-15");
  });
});

describe("tables", () => {
  it("are read padded on a desktop device and bare on an Android one", async () => {
    const desktop = (await DeviceTrial.begin()).connect();
    expect((await desktop.ask("1F 1E000000 12 0100 03")).split(" ")).toHaveLength(2 + 21);
    expect(await desktop.ask("1F 1E000000 12 0100 02")).toBe("1F 00 39 36 30 30 31 32 33 34 35 39 20 20 20 20 20 20 20");
    const android = (await DeviceTrial.begin({ personality: "cashcore" })).connect();
    expect(await android.ask("1F 1E000000 0D 0100 02")).toBe("1F 00 39 36 30 30 31 32 33 34 35 39");
  });

  it("refuse what is not there, what cannot be written and what is out of range", async () => {
    const { host } = await opened();
    expect(await host.ask("1F 1E000000 63 0100 01")).toBe("1F 5D");
    expect(await host.ask("1F 1E000000 12 0200 01")).toBe("1F 33");
    expect(await host.ask("1E 1E000000 12 0100 03 30")).toBe("1E 7A");
    expect(await host.ask("1E 1E000000 12 0100 07 30")).toBe("1E C7");
    expect(await host.ask("1E 1E000000 11 0100 07 09")).toBe("1E 33");
    expect(await host.ask("1E 1E000000 11 0100 07 0000")).toBe("1E 33");
  });

  it("change passwords", async () => {
    const { host } = await opened();
    await host.ask("1E 1E000000 02 0100 01 64000000");
    expect(await host.ask(OPEN_SALE)).toBe("8D 4F");
    expect(await host.ask("8D 64000000 00")).toBe("8D 00 01");
  });
});
