import { describe, expect, it } from "vitest";
import { bytesOf, DeviceTrial, type Host, hexOf } from "../../../../support/shtrih-m-device.ts";

/** Expects the frames of shtrih-protocol 14.1 and 14.3, requests and answers, byte for byte as in the document. */
async function expectFrames(host: Host, frames: readonly (readonly [string, string])[]): Promise<void> {
  for (const [request, answer] of frames) expect(await host.frame(request)).toBe(answer);
}

const STATUS = "02 05 10 1E 00 00 00 0B";
const OPEN_SALE = "02 06 8D 01 00 00 00 00 8A";
const COFFEE = "02 24 FF 46 01 00 00 00 01 60 E3 16 00 00 00 06 27 00 00 00 89 3A 00 00 00 FF FF FF FF FF 01 00 04 01 CA EE F4 E5 54";
const CLOSE_SALE = `02 76 FF 45 01 00 00 00 10 27 00 00 00 79 13 00 00 00 ${"00 ".repeat(70)}00 ${"00 ".repeat(30)}01 91`;

describe("the device answers the vectors of the protocol document", () => {
  it("of a shift, a sale and its parts", async () => {
    const trial = await DeviceTrial.begin();
    await expectFrames(trial.connect(), [
      [STATUS, "02 10 10 00 1E 90 02 04 00 00 9F D8 00 00 00 00 04 00 CB"],
      ["02 05 13 1E 00 00 00 08", "02 03 13 00 1E 0E"],
      ["02 06 FF 41 1E 00 00 00 A6", "02 03 FF 41 00 BD"],
      ["02 15 FF 0C 1E 00 00 00 FD 03 0B 00 88 A2 A0 AD AE A2 20 88 2E 88 2E 06", "02 03 FF 0C 00 F0"],
      ["02 16 FF 0C 1E 00 00 00 B3 04 0C 00 35 30 30 31 30 30 37 33 32 32 35 39 4C", "02 03 FF 0C 00 F0"],
      ["02 05 E0 1E 00 00 00 FB", "02 03 E0 00 1E FD"],
      [OPEN_SALE, "02 03 8D 00 01 8F"],
      ["02 1B FF 0C 1E 00 00 00 F0 03 11 00 62 75 79 65 72 40 65 78 61 6D 70 6C 65 2E 6F 72 67 11", "02 03 FF 0C 00 F0"],
      [COFFEE, "02 03 FF 46 00 BA"],
      ["02 0F FF 4D 01 00 00 00 A7 04 05 00 6C 6F 74 20 37 7A", "02 03 FF 4D 00 B1"],
      ["02 05 88 01 00 00 00 8C", "02 03 88 00 01 8A"],
      [
        "02 2E 17 01 00 00 00 02 D1 EF E0 F1 E8 E1 EE 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 F2",
        "02 03 17 00 01 15",
      ],
      ["02 06 25 01 00 00 00 01 23", "02 03 25 00 01 27"],
      ["02 05 40 1E 00 00 00 5B", "02 03 40 00 1E 5D"],
      ["02 06 FF 42 1E 00 00 00 A5", "02 03 FF 42 00 BE"],
      ["02 06 FF 08 1E 00 00 00 EF", "02 03 FF 08 00 F4"],
      ["02 05 41 1E 00 00 00 5A", "02 03 41 00 1E 5C"],
    ]);
    expect(trial.paper.filter((line) => line === "Спасибо")).toHaveLength(1);
  });

  it("of refusals: unknown document, end of reading, underpaid receipt, too little cash, words of an error", async () => {
    const trial = await DeviceTrial.begin();
    const host = trial.connect();
    await host.ask("E0 1E000000");
    await expectFrames(host, [
      ["02 0A FF 0A 1E 00 00 00 57 01 00 00 B7", "02 03 FF 0A 08 FE"],
      ["02 06 FF 3B 1E 00 00 00 DC", "02 03 FF 3B 08 CF"],
      ["02 0A 51 01 00 00 00 A0 86 01 00 00 7D", "02 02 51 46 15"],
      [OPEN_SALE, "02 03 8D 00 01 8F"],
      [COFFEE, "02 03 FF 46 00 BA"],
    ]);
    const short = CLOSE_SALE.replace("79 13", "78 13").replace(/91$/, "90");
    await expectFrames(host, [
      [short, "02 03 FF 45 45 FC"],
      ["02 02 6B 4E 27", "02 19 6B 00 D1 EC E5 ED E0 20 EF F0 E5 E2 FB F1 E8 EB E0 20 32 34 20 F7 E0 F1 E0 76"],
    ]);
  });

  it("of the clock: time, date and its confirmation", async () => {
    const trial = await DeviceTrial.begin();
    await expectFrames(trial.connect(), [
      ["02 08 21 1E 00 00 00 0A 05 00 38", "02 02 21 00 23"],
      ["02 08 22 1E 00 00 00 0E 03 1A 23", "02 02 22 00 20"],
      ["02 08 23 1E 00 00 00 0E 03 1A 22", "02 02 23 00 21"],
    ]);
    expect(trial.front.state().time).toBe("2026-03-14 10:05:00");
  });

  it("of tables", async () => {
    const trial = await DeviceTrial.begin();
    await expectFrames(trial.connect(), [
      [`02 49 1E 1E 00 00 00 02 01 00 02 C8 E2 E0 ED EE E2 ${"00 ".repeat(58)}63`, "02 02 1E 00 1C"],
      ["02 0A 1E 1E 00 00 00 11 01 00 07 01 1C", "02 02 1E 00 1C"],
    ]);
  });

  it("of identity: desktop, as captured", async () => {
    const trial = await DeviceTrial.begin();
    await expectFrames(trial.connect(), [
      ["02 01 FC FD", "02 16 FC 00 00 00 01 0E FC 00 D8 D2 D0 C8 D5 2D CB C0 C9 D2 2D 30 32 D4 18"],
      [
        "02 02 F7 01 F4",
        "02 23 F7 00 5A A0 40 07 20 6C 00 00 0C 18 01 0C 10 00 00 00 00 00 00 1E 00 00 00 00 06 FF 00 40 40 B6 03 12 13 7F",
      ],
      ["02 06 FF 39 1E 00 00 00 DE", "02 10 FF 39 00 00 00 00 00 00 00 00 00 00 00 00 00 00 D6"],
    ]);
  });

  it("of tables on an Android device, as captured", async () => {
    const host = (await DeviceTrial.begin({ personality: "cashcore" })).connect();
    const zeros = (count: number) => "00 ".repeat(count);
    await expectFrames(host, [
      ["02 06 2D 1E 00 00 00 0A 3F", `02 2D 2D 00 D1 CB D3 C6 C5 C1 CD C0 DF ${zeros(31)}01 00 32 EA`],
      [
        "02 07 2E 1E 00 00 00 0A 1D 20",
        "02 2E 2E 00 31 32 30 39 3A 20 D4 D4 C4 2C 20 30 4E 41 20 2D 20 31 2E 30 2C 20 32 20 2D 20 31 2E 30 35 2C 20 34 20 2D 20 31 2E 32 00 00 01 00 04 D1",
      ],
      ["02 09 1F 1E 00 00 00 0A 01 00 1D 1E", "02 03 1F 00 04 18"],
      ["02 01 FC FD", "02 18 FC 00 00 00 02 00 2D 00 D8 D2 D0 C8 D5 2D D1 CC C0 D0 D2 CF CE D1 2D D4 D7"],
    ]);
    expect(hexOf(bytesOf(await host.frame("02 02 F7 01 F4")).subarray(2, -1))).toBe(
      "F7 00 08 00 C0 F7 3F 08 00 00 00 00 01 0C 0A 00 00 00 00 00 00 1E 00 00 00 00 06 FF 00 28 00 00 00 0D 0E 10 0A 1D",
    );
  });

  it("of paper that ends while a receipt is printed, and comes back", async () => {
    const trial = await DeviceTrial.begin({ faults: ["paper-out@FF45"] });
    const host = trial.connect();
    await host.all("E0 1E000000");
    await expectFrames(host, [
      [OPEN_SALE, "02 03 8D 00 01 8F"],
      [COFFEE, "02 03 FF 46 00 BA"],
    ]);
    expect(await host.frame(CLOSE_SALE)).toMatch(/^02 10 FF 45 00 00 00 00 00 00 03 00 00 00 /);
    expect(await host.frame(STATUS)).toBe("02 10 10 00 1E 10 00 08 02 01 9F D8 00 00 00 00 08 01 4B");
    trial.front.setPaper(true);
    expect(await host.frame(STATUS)).toBe("02 10 10 00 1E 90 02 08 03 01 9F D8 00 00 00 00 08 01 C8");
    expect(await host.frame("02 05 B0 01 00 00 00 B4")).toBe("02 03 B0 00 01 B2");
    expect(await host.frame(STATUS)).toBe("02 10 10 00 1E 90 02 02 00 00 9F D8 00 00 00 00 02 00 CB");
  });
});
