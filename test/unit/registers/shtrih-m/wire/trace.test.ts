import { describe, expect, it } from "vitest";
import { deadlineIn } from "../../../../../src/kernel/deadline.ts";
import { traced } from "../../../../../src/registers/links/trace.ts";
import { encodeAnswer, encodeRequest } from "../../../../../src/registers/shtrih-m/commands/commands.ts";
import { frameOf } from "../../../../../src/registers/shtrih-m/wire/frame.ts";
import { numberedFrame } from "../../../../../src/registers/shtrih-m/wire/frame-numbered.ts";
import { pieceDescriber } from "../../../../../src/registers/shtrih-m/wire/trace.ts";
import { memoryPair } from "../../../../support/memory-link.ts";
import { VirtualClock } from "../../../../support/virtual-clock.ts";

const CASH_IN = frameOf(encodeRequest("cashIn", { password: 0x01020304, sum: 100 }));
const EMAIL = Buffer.concat([Buffer.of(0xf0, 3, 3, 0), Buffer.from("a@b")]);

describe("bytes in the log", () => {
  it("carry the name of their command, and no password", () => {
    expect(pieceDescriber()(CASH_IN, "out")).toEqual({ name: "50 cash in", shown: "02 0A 50 .. .. .. .. 64 00 00 00 00 3A" });
  });

  it("name control bytes that stand alone", () => {
    const describe = pieceDescriber();
    expect([5, 6, 0x15].map((byte) => describe(Uint8Array.of(byte), "out").name)).toEqual(["ENQ", "ACK", "NAK"]);
    expect(describe(Uint8Array.of(0xff), "in")).toEqual({ shown: "FF" });
  });

  it("name the answer behind an acknowledgement", () => {
    const piece = Buffer.concat([Uint8Array.of(6), frameOf(encodeAnswer("operation", {}))]);
    expect(pieceDescriber()(piece, "in")).toEqual({ name: "FF46 operation", shown: "06 02 03 FF 46 00 BA" });
  });

  it("hide the buyer's address, however the frame is cut into pieces", () => {
    const frame = frameOf(encodeRequest("documentTags", { password: 30, tlv: EMAIL }));
    for (let at = 0; at <= frame.length; at += 1) {
      const describe = pieceDescriber();
      const shown = [describe(frame.subarray(0, at), "out").shown, describe(frame.subarray(at), "out").shown].join(" ").trim();
      expect(shown).toBe("02 0D FF 0C .. .. .. .. F0 03 03 00 .. .. .. 53");
    }
  });

  it("hide marking codes, passwords in tables, and buyers in what the drive gives back", () => {
    const describe = pieceDescriber();
    const mark = frameOf(
      encodeRequest("checkMark", { password: 30, plan: 1, mode: 0, mark: { code: Buffer.from("0104"), tlv: Buffer.alloc(0) } }),
    );
    expect(describe(mark, "out").shown).not.toContain("30 31");
    const table = frameOf(encodeRequest("writeTable", { password: 30, table: 2, row: 1, field: 1, value: Buffer.of(0x77, 0x77, 0, 0) }));
    expect(describe(table, "out").shown).not.toContain("77");
    const item = Buffer.concat([Buffer.of(0x23, 4, 8, 0), Buffer.of(0x14, 5, 4, 0), Buffer.from("0104")]);
    expect(describe(frameOf(encodeAnswer("readTlv", { tlv: item })), "in").shown).toContain("23 04 08 00 14 05 04 00 .. .. .. ..");
    expect(describe(frameOf(encodeAnswer("readTlv", { tlv: EMAIL })), "in").shown).toContain("F0 03 03 00 .. .. ..");
  });
});

describe("bytes of protocol 2.0 in the log", () => {
  it("carry the name of their command, and no password, however the frame is cut into pieces", () => {
    // A frame of shtrih-protocol 14.2. Bytes of the sum are stuffed.
    const frame = Buffer.from("8F0C00020050010000009F819F83000000B9E1", "hex");
    for (let at = 0; at <= frame.length; at += 1) {
      const describe = pieceDescriber();
      const shown = [describe(frame.subarray(0, at), "out").shown, describe(frame.subarray(at), "out").shown].join(" ").trim();
      expect(shown).toBe("8F 0C 00 02 00 50 .. .. .. .. 9F 81 9F 83 00 00 00 B9 E1");
    }
    expect(pieceDescriber()(frame, "out").name).toBe("50 cash in");
  });

  it("hide buyers whose bytes are stuffed, wherever the frame is cut", () => {
    const contact = Buffer.of(0xf0, 3, 3, 0, 0x8f, 0x9f, 0x40);
    const frame = numberedFrame(7, encodeRequest("documentTags", { password: 0x8f, tlv: contact }));
    for (let at = 0; at <= frame.length; at += 1) {
      const describe = pieceDescriber();
      const shown = [describe(frame.subarray(0, at), "out").shown, describe(frame.subarray(at), "out").shown].join(" ").trim();
      expect(shown).toMatch(/^8F 0F 00 07 00 FF 0C \.\. \.\. \.\. \.\. \.\. F0 03 03 00 \.\. \.\. \.\. \.\. \.\. \w\w \w\w$/);
    }
  });

  it("name two answers in one piece, and go on behind a frame that another has cut short", () => {
    const answer = numberedFrame(3, encodeAnswer("operation", {}));
    const mail = numberedFrame(4, encodeAnswer("readTlv", { tlv: EMAIL }));
    const { shown, name } = pieceDescriber()(Buffer.concat([answer, mail]), "in");
    expect([name, shown]).toEqual(["FF46 operation", expect.stringContaining("FF 3B 00 F0 03 03 00 .. .. ..")]);
    const cut = pieceDescriber()(Buffer.concat([answer.subarray(0, 4), Buffer.of(0xff), mail]), "in");
    expect(cut.shown).toContain("FF 3B 00 F0 03 03 00 .. .. ..");
  });

  it("hide what follows on a frame that a wrong byte has broken off, up to the next frame", () => {
    const mail = numberedFrame(4, encodeAnswer("readTlv", { tlv: EMAIL }));
    for (const [at, byte] of [
      [5, 0x9f],
      [1, 1],
    ] as const) {
      const broken = Buffer.from(mail);
      broken[at] = byte;
      const describe = pieceDescriber();
      const { shown } = describe(Buffer.concat([broken, mail]), "in");
      expect(shown.slice(0, broken.length * 3)).not.toContain("61 40 62");
      expect(shown.slice(broken.length * 3)).toMatch(/^8F .+ FF 3B 00 F0 03 03 00 \.\. \.\. \.\. \w\w \w\w$/);
    }
  });
});

describe("a traced link", () => {
  it("notes both ways with the command's name, and passes everything on", async () => {
    const clock = new VirtualClock(0);
    const [near, far] = memoryPair({ clock });
    const lines: unknown[] = [];
    const link = traced(near, {
      describe: pieceDescriber(),
      note: (level, text, values) => lines.push([level, text, values.command, values.bytes ?? values.reason]),
    });
    await link.write(CASH_IN, deadlineIn(clock, 0));
    await far.write(Uint8Array.of(6));
    expect(await link.read(deadlineIn(clock, 0))).toEqual({ kind: "bytes", bytes: Buffer.of(6) });
    await far.write(Uint8Array.of(0xff));
    await link.read(deadlineIn(clock, 0));
    far.cut("кабель");
    expect(await link.read(deadlineIn(clock, 0))).toMatchObject({ kind: "lost" });
    expect(link.isOpen).toBe(false);
    expect(lines).toEqual([
      ["trace", "bytes to the register", "50 cash in", "02 0A 50 .. .. .. .. 64 00 00 00 00 3A"],
      ["trace", "bytes from the register", "ACK", "06"],
      ["trace", "bytes from the register", "ACK", "FF"],
      ["warn", "the link to the register is lost", undefined, "кабель"],
    ]);
  });

  it("warns once of a register that is switched off, and again only after it was heard", async () => {
    const clock = new VirtualClock(0);
    const [near, far] = memoryPair({ clock });
    const lines: unknown[] = [];
    const link = traced(near, { note: (level, text) => lines.push([level, text]) });
    await far.write(Uint8Array.of(6));
    await link.read(deadlineIn(clock, 0));
    far.cut("кабель");
    await link.read(deadlineIn(clock, 0));
    await link.read(deadlineIn(clock, 0));
    await link.write(CASH_IN, deadlineIn(clock, 0));
    expect(lines.filter((line) => Array.isArray(line) && line[0] === "warn")).toEqual([["warn", "the link to the register is lost"]]);
    expect(lines.length).toBeGreaterThan(1);
  });

  it("notes no bytes where nobody reads them, and the loss of the cable all the same", async () => {
    const clock = new VirtualClock(0);
    const [near, far] = memoryPair({ clock });
    const lines: unknown[] = [];
    const link = traced(near, { note: (level, text) => lines.push([level, text]) });
    await link.write(CASH_IN, deadlineIn(clock, 0));
    far.cut("кабель");
    expect(await link.read(deadlineIn(clock, 0))).toMatchObject({ kind: "lost" });
    expect(lines).toEqual([["warn", "the link to the register is lost"]]);
  });
});
