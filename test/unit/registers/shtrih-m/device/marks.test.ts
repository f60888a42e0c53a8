import { describe, expect, it } from "vitest";
import {
  bytesOf,
  CANCEL,
  CLOSE_SALE,
  COFFEE,
  closing,
  DeviceTrial,
  type Host,
  hexOf,
  OPEN_SALE,
  OPEN_SHIFT,
  sell,
} from "../../../../support/shtrih-m-device.ts";

/** The code of the vectors of shtrih-protocol 14.1: a short code of dairy products, with its separator. */
const MILK = Buffer.from("01046006531059902152CUnq\u001d93Gk30", "latin1");
/** A code whose check fails, with a product number that GS1 reserves for demonstrations. */
const DENIED = Buffer.from("010952000000013421abcdefg\u001d93Gk30", "latin1");
const ACCEPT = "FF69 01000000 01";
const REJECT = "FF69 01000000 00";
const CLEAR = "FF69 01000000 02";

/** Tag 2108 = 11 (kg) and tag 1023 = 1.500, as in the vector. */
const KILOGRAMS = "3C080100 0B FF030300 03DC05";
/** A position of 1 × 99.90. CLOSE_PIECE is the command that closes its receipt. */
const PIECE = "FF46 01000000 01 40420F000000 0627000000 0627000000 FFFFFFFFFF 01 00 04 01 CAEEF4E5";
const CLOSE_PIECE = closing({ electronic: 9_990 });

function check(code: Buffer, plan = "01", tlv = ""): string {
  const tags = tlv.replaceAll(" ", "");
  return `FF61 01000000 ${plan} 00 ${hexOf(Buffer.of(code.length, tags.length / 2))} ${hexOf(code)} ${tags}`;
}

/** FF4D with tag 2108. */
function measure(unit: string): string {
  return `FF4D 01000000 3C080100 ${unit}`;
}

function bind(code: Buffer): string {
  return `FF67 01000000 ${hexOf(Buffer.of(code.length))} ${hexOf(code)}`;
}

async function opened(options: Parameters<typeof DeviceTrial.begin>[0] = {}): Promise<Host> {
  const host = (await DeviceTrial.begin(options)).connect();
  await host.ask(OPEN_SHIFT);
  return host;
}

/** Tag 2106 of a document's first position. */
async function resultIn(host: Host, documentNumber: number): Promise<string | undefined> {
  await host.ask(`FF3A 1E000000 ${hexOf(Buffer.of(documentNumber))} 000000`);
  let all = "";
  for (let answer = ""; answer !== "FF 3B 08"; answer = await host.ask("FF3B 1E000000")) all += hexOf(bytesOf(answer).subarray(3));
  return /3A 08 01 00 ([0-9A-F]{2})/.exec(all)?.[1];
}

describe("marking codes at the device", () => {
  it("are checked, accepted and bound by the vectors of the protocol document", async () => {
    const host = await opened();
    const frames = [
      [
        "02 29 FF 61 01 00 00 00 01 00 1F 00 30 31 30 34 36 30 30 36 35 33 31 30 35 39 39 30 32 31 35 32 43 55 6E 71 1D 39 33 47 6B 33 30 9A",
        "02 09 FF 61 00 03 00 05 02 00 0F 9C",
      ],
      ["02 07 FF 69 01 00 00 00 01 91", "02 04 FF 69 00 0F 9D"],
    ] as const;
    for (const [request, answer] of frames) expect(await host.frame(request)).toBe(answer);
    await host.all(OPEN_SALE, PIECE);
    expect(
      await host.frame(
        "02 26 FF 67 01 00 00 00 1F 30 31 30 34 36 30 30 36 35 33 31 30 35 39 39 30 32 31 35 32 43 55 6E 71 1D 39 33 47 6B 33 30 92",
      ),
    ).toBe("02 06 FF 67 00 44 4D 03 94");
    await host.ask(CLOSE_PIECE);
    expect(await resultIn(host, 3)).toBe("0F");
  });

  it("of measured goods are checked by the vector, accepted, and registered in that measure and quantity", async () => {
    const host = await opened();
    expect(
      await host.frame(
        "02 35 FF 61 01 00 00 00 02 00 1F 0C 30 31 30 34 36 30 30 36 35 33 31 30 35 39 39 30 32 31 35 32 43 55 6E 71 1D 39 33 47 6B 33 30 3C 08 01 00 0B FF 03 03 00 03 DC 05 92",
      ),
    ).toMatch(/^02 09 FF 61 00/);
    expect(await host.all(ACCEPT, OPEN_SALE, COFFEE, measure("0B"), bind(MILK), CLOSE_SALE)).toMatch(/^FF 45 00/);
    expect(await resultIn(host, 3)).toBe("0F");
  });

  it.each([
    ["a piece", "01", "", PIECE, undefined, CLOSE_PIECE, "00"],
    ["a piece in a measure", "01", "", COFFEE, "0B", CLOSE_SALE, "33"],
    ["a piece that is no whole one", "01", "", COFFEE, undefined, CLOSE_SALE, "33"],
    ["kilograms", "02", KILOGRAMS, COFFEE, "0B", CLOSE_SALE, "00"],
    ["kilograms, in equal quantity spelled otherwise", "02", "3C08010 00B FF030200 010F", COFFEE, "0B", CLOSE_SALE, "00"],
    ["kilograms, in another measure", "02", KILOGRAMS, COFFEE, "29", CLOSE_SALE, "33"],
    ["kilograms, in another quantity", "02", KILOGRAMS, PIECE, "0B", CLOSE_PIECE, "33"],
    ["kilograms, as a piece", "02", KILOGRAMS, PIECE, undefined, CLOSE_PIECE, "33"],
    ["kilograms that come back", "04", KILOGRAMS, COFFEE, "0B", CLOSE_SALE, "33"],
    ["a piece that comes back", "03", "", PIECE, undefined, CLOSE_PIECE, "33"],
    ["an unchanged code", "FF", "", COFFEE, "0B", CLOSE_SALE, "00"],
  ])("that were checked as %s are registered as what they were checked for alone", async (_, plan, tlv, item, unit, closing, error) => {
    const host = await opened();
    expect(await host.all(check(MILK, plan, tlv), ACCEPT, OPEN_SALE, item)).toBe("FF 46 00");
    if (unit !== undefined) expect(await host.ask(measure(unit))).toBe("FF 4D 00");
    expect(await host.ask(bind(MILK))).toMatch(/^FF 67 00/);
    expect(await host.ask(closing)).toMatch(new RegExp(`^FF 45 ${error}`));
  });

  it("of one keg in two positions are registered when each was checked", async () => {
    const host = await opened();
    const keg = [COFFEE, measure("0B"), bind(MILK)];
    const checked = [check(MILK, "02", KILOGRAMS), ACCEPT];
    await host.all(...checked, ...checked, OPEN_SALE, ...keg, ...keg);
    expect(await host.ask(closing({ electronic: 29_970 }))).toMatch(/^FF 45 00/);
  });

  it.each([
    ["measured goods without their measure", "02", "FF030300 03DC05", "A4"],
    ["measured goods without their quantity", "02", "3C080100 0B", "A4"],
    ["measured goods in pieces", "02", "3C080100 00 FF030300 03DC05", "33"],
    ["measured goods that come back without either", "04", "", "A4"],
    ["a piece in a measure", "01", "3C080100 0B", "33"],
    ["tags that are none", "02", "3C080100", "33"],
    ["a part of a package, by its fraction", "02", "0B050A00 0D050100 010E050100 04", "00"],
  ])("are checked as the protocol has it: %s", async (_, plan, tlv, error) => {
    const host = await opened();
    expect(await host.ask(check(MILK, plan, tlv))).toMatch(new RegExp(`^FF 61 ${error}`));
  });

  it("tell what the drive and what the state found, its code before the result", async () => {
    const host = await opened();
    expect(await host.ask(check(DENIED))).toBe("FF 61 00 01 00 05 02 00 0D");
    const offline = Buffer.from("010952000000003521abcdefg\u001d93Gk30", "latin1");
    await host.ask(ACCEPT);
    expect(await host.ask(check(offline))).toBe("FF 61 00 03 00 05 00");
    expect(await host.ask(ACCEPT)).toBe("FF 69 00 03");
  });

  it("are checked again when asked again, while another one has to wait for FF69", async () => {
    const host = await opened();
    await host.ask(check(MILK));
    expect(await host.ask(check(MILK))).toMatch(/^FF 61 00/);
    expect(await host.ask(check(DENIED))).toBe("FF 61 A1");
    await host.ask(ACCEPT);
    expect(await host.ask(check(DENIED))).toMatch(/^FF 61 00/);
  });

  it("come in their order: FF69 after FF61, both before the receipt", async () => {
    const host = await opened();
    expect(await host.ask(ACCEPT)).toBe("FF 69 A1");
    await host.ask(check(MILK));
    await host.all(OPEN_SALE, COFFEE);
    expect(await host.ask(bind(MILK))).toBe("FF 67 A1");
    expect(await host.ask(check(DENIED))).toBe("FF 61 A1");
    expect(await host.ask(CLEAR)).toBe("FF 69 00 00");
    expect(await host.ask(bind(MILK))).toMatch(/^FF 67 00/);
  });

  it("that were rejected are not bound", async () => {
    const host = await opened();
    await host.all(check(MILK), REJECT, OPEN_SALE, COFFEE);
    expect(await host.ask(bind(MILK))).toBe("FF 67 A5");
  });

  it("that were not checked are checked when they are bound, and the result is told", async () => {
    const host = await opened();
    await host.all(OPEN_SALE, COFFEE);
    expect(await host.ask(bind(DENIED))).toBe("FF 67 00 44 4D 03 01 00 05 02 00 0D");
  });

  it.each([
    ["another document", (host: Host) => sell(host)],
    ["a receipt that was given up", (host: Host) => host.all(OPEN_SALE, CANCEL)],
    ["FF69 2", (host: Host) => host.ask(CLEAR)],
  ])("are forgotten after %s", async (_, between) => {
    const host = await opened();
    await host.all(check(MILK), ACCEPT);
    await between(host);
    await host.all(OPEN_SALE, COFFEE);
    expect((await host.ask(bind(MILK))).length).toBeGreaterThan("FF 67 00 44 4D 03".length);
  });

  it("fill the table with the 128th", async () => {
    const host = await opened();
    for (let at = 0; at < 128; at += 1) {
      await host.all(check(Buffer.from(`01046006531059902152C${String(at).padStart(3, "0")}\u001d93Gk30`, "latin1")), ACCEPT);
    }
    expect(await host.ask(check(MILK))).toBe("FF 61 A3");
    await host.ask(CLEAR);
    expect(await host.ask(check(MILK))).toMatch(/^FF 61 00/);
  });

  it("are unknown to a device of format 1.05", async () => {
    const host = await opened({ ffd: "1.05" });
    await host.all(OPEN_SALE, COFFEE);
    expect([await host.ask(check(MILK)), await host.ask(ACCEPT), await host.ask(bind(MILK))]).toEqual(["FF 61 37", "FF 69 37", "FF 67 37"]);
  });

  it("without a plan that there is, or without characters, are wrong", async () => {
    const host = await opened();
    expect(await host.ask(check(MILK, "05"))).toBe("FF 61 33");
    expect(await host.ask(check(Buffer.alloc(0)))).toBe("FF 61 33");
  });
});
