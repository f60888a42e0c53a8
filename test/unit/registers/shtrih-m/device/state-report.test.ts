import { describe, expect, it } from "vitest";
import { readTlvs } from "../../../../../src/registers/tags/tlv.ts";
import { bytesOf, DeviceTrial, type Host, OPEN_SALE, OPEN_SHIFT, STATUS, sell } from "../../../../support/shtrih-m-device.ts";

const BEGIN = "FF37 1E000000";
const REPORT = "FF38 1E000000";
/** 1021 "Иванов И.И." in CP866 (shtrih-protocol 14.1). */
const CASHIER = "FF0C 1E000000 FD03 0B00 88A2A0ADAEA220882E882E";

/** Returns the code of the open document from the answer to FF01. */
async function openDocument(host: Host): Promise<string | undefined> {
  return (await host.ask("FF01 1E000000")).split(" ")[4];
}

describe("FF38, the report of the settlements' state", () => {
  it("alone, with the shift closed, is the drive's next document, by the frames of the protocol document", async () => {
    const trial = await DeviceTrial.begin();
    const host = trial.connect();
    // The answer is 02 12 FF 38 00, FD, FP, the number of unsent documents, and the day of the first of them as YY MM DD
    // (shtrih-protocol 14.1). Here FD is 2 and nothing is unsent.
    const answer = await host.frame("02 06 FF 38 1E 00 00 00 DF");
    expect(answer).toMatch(/^02 12 FF 38 00 02 00 00 00 ([0-9A-F]{2} ){4}00 00 00 00 00 00 00 [0-9A-F]{2}$/);
    const sign = answer.split(" ").slice(9, 13).join(" ");
    // The answer has 14.03.2026 10:07 and the tail of type 21: the number of unsent documents and the day of the first
    // (shtrih-protocol 5.8).
    expect(await host.ask("FF0A 1E000000 02000000")).toBe(`FF 0A 00 15 01 1A 03 0E 0A 07 02 00 00 00 ${sign} 00 00 00 00 00 00 00`);
    expect(trial.paper).toContain("ОТЧЕТ О ТЕКУЩЕМ СОСТОЯНИИ РАСЧЕТОВ");
    expect((await host.ask(STATUS)).split(" ")[5]).toBe("04");
  });

  it("works with the shift open too, and is read requisite by requisite", async () => {
    const trial = await DeviceTrial.begin();
    const host = trial.connect();
    await host.ask(OPEN_SHIFT);
    await sell(host);
    expect(await host.ask(REPORT)).toMatch(/^FF 38 00 04 00 00 00 /);
    expect((await host.ask(STATUS)).split(" ")[5]).toBe("02");
    const head = bytesOf(await host.ask("FF3A 1E000000 04000000"));
    expect(head.readUInt16LE(3)).toBe(21);
    const pieces: Buffer[] = [];
    for (let piece = bytesOf(await host.ask("FF3B 1E000000")); piece[2] === 0; piece = bytesOf(await host.ask("FF3B 1E000000"))) {
      pieces.push(piece.subarray(3));
    }
    const content = Buffer.concat(pieces);
    expect(content).toHaveLength(head.readUInt16LE(5));
    const tags = (readTlvs(content) ?? []).map(({ tag }) => tag);
    for (const tag of [1040, 1012, 1038, 1097, 1077]) expect(tags).toContain(tag);
    expect(await host.ask("FF40 1E000000")).toBe("FF 40 00 01 01 00 01 00");
  });

  it("takes the tags that were sent between FF37 and itself", async () => {
    const trial = await DeviceTrial.begin();
    const host = trial.connect();
    expect(await host.frame("02 06 FF 37 1E 00 00 00 D0")).toBe("02 03 FF 37 00 CB");
    expect(await openDocument(host)).toBe("17");
    expect(await host.ask(CASHIER)).toBe("FF 0C 00");
    expect(await host.ask(REPORT)).toMatch(/^FF 38 00 02 /);
    expect(await openDocument(host)).toBe("00");
    expect(trial.paper).toContain("Кассир Иванов И.И.");
    const [, made] = await trial.front.documents();
    expect(made).toMatchObject({ facts: { document: "state-report", documentNumber: 2, cashierName: "Иванов И.И." } });
  });

  it("is given up by FF08 after FF37, tags and all", async () => {
    const host = (await DeviceTrial.begin()).connect();
    await host.all(BEGIN, CASHIER);
    expect(await host.frame("02 06 FF 08 1E 00 00 00 EF")).toBe("02 03 FF 08 00 F4");
    expect(await openDocument(host)).toBe("00");
    expect(await host.ask("FF08 1E000000")).toBe("FF 08 02");
    expect(await host.ask(OPEN_SHIFT)).toBe("E0 00 1E");
  });

  it("does not mix with another document that is open", async () => {
    const host = (await DeviceTrial.begin()).connect();
    await host.ask(BEGIN);
    expect(await host.ask(BEGIN)).toBe("FF 37 02");
    expect(await host.ask(OPEN_SHIFT)).toBe("E0 5E");
    await host.ask("FF08 1E000000");
    await host.ask("FF41 1E000000");
    expect(await host.ask(REPORT)).toBe("FF 38 5E");
    await host.all("FF08 1E000000", OPEN_SHIFT, OPEN_SALE);
    expect(await host.ask(BEGIN)).toBe("FF 37 02");
    expect(await host.ask(REPORT)).toBe("FF 38 4A");
  });

  it("adds the moment once T17F36 asks for it, and wants the system administrator's password", async () => {
    const host = (await DeviceTrial.begin()).connect();
    await host.ask("1E 1E000000 11 0100 24 01");
    expect(await host.ask(REPORT)).toMatch(/^FF 38 00 02 .* 00 00 00 1A 03 0E 0A 07$/);
    expect(await host.ask("FF38 01000000")).toBe("FF 38 4F");
    expect(await host.ask("FF38 1E0000")).toBe("FF 38 7E");
  });

  it("is refused while something is printed, without paper, and by a drive that is full", async () => {
    const trial = await DeviceTrial.begin({ printMs: 1_000, faults: ["drive-full@FF38#2"] });
    const host = trial.connect();
    await host.ask(OPEN_SHIFT);
    expect(await host.ask(REPORT)).toBe("FF 38 50");
    await trial.clock.advance(1_000);
    expect(await host.ask(REPORT)).toBe("FF 38 06");
    trial.front.setPaper(false);
    expect(await host.ask(REPORT)).toBe("FF 38 6B");
  });

  it("is in the drive after a power cut behind it, and not after one before it", async () => {
    const trial = await DeviceTrial.begin({ faults: ["power-cut-before@FF38=10", "power-cut-after@FF38#2=10"] });
    for (const last of [1, 2]) {
      await trial.connect().say("02 06 FF 38 1E 00 00 00 DF");
      await trial.clock.advance(10);
      expect(trial.front.state()).toMatchObject({ power: true, lastDocument: last });
    }
  });
});
