import { describe, expect, it } from "vitest";
import type { RefusalCode } from "../../../../../src/model/refusal.ts";
import { isDoubtful, refusalFrom } from "../../../../../src/registers/shtrih-m/refusals/refusals.ts";
import { DEVICE_ERRORS } from "../../../../../src/registers/shtrih-m/refusals/table.ts";

/** The classes of reactions in shtrih-protocol 8. `-`: the chapter names no reaction that a person could follow. */
type Reaction = "R" | "B0" | "Z" | "X" | "C" | "P" | "S" | "D" | "-";

/**
 * Words that the text of each class must contain for the person at the register. Only the texts of `device-refused` are tested so,
 * because the contracts have words of their own for the other codes.
 */
const ADVICE: Record<Reaction, RegExp> = {
  R: /повторите/,
  B0: /проверьте бумагу/,
  Z: /закройте смену/,
  X: /разделите/,
  C: /сообщите в поддержку|проверьте|измените|повторите|сделайте|разделите|перерегистрируйте|откройте смену/,
  P: /проверьте|вставьте|освободите/,
  S: /сервисный центр/,
  D: /повторите|проверьте/,
  "-": /[а-яё]{4}/i,
};

type Row = [codes: number[], reaction: Reaction, code: RefusalCode, also?: "doubtful"];

/** The errors of shtrih-protocol 8.1, in its order. */
const DRIVE: Row[] = [
  [[0x01], "C", "device-refused"],
  [[0x02], "D", "drive-not-ready"],
  [[0x03, 0x04], "S", "device-refused", "doubtful"],
  [[0x05, 0x06], "S", "drive-exhausted"],
  [[0x07], "C", "clock-wrong"],
  [[0x08], "-", "device-refused"],
  [[0x09], "C", "device-refused"],
  [[0x10], "C", "document-too-large"],
  [[0x11], "P", "device-refused"],
  [[0x12], "S", "drive-exhausted"],
  [[0x14, 0x15], "P", "operator-queue-blocked"],
  [[0x16], "Z", "shift-expired"],
  [[0x17], "Z", "clock-wrong"],
  [[0x20], "C", "device-refused"],
  // 30h is in 8.1 and in 8.2. The driver reads it by 8.2, so it is in REGISTER.
  [[0x23, 0x24], "R", "device-refused"],
  [[0xa0], "C", "device-refused"],
  [[0xa1], "R", "device-refused"],
  [[0xa2], "C", "device-refused"],
  [[0xa3], "X", "document-too-large"],
  // A public driver has AAh and ACh where the specification has A4h and A5h.
  [[0xa4, 0xaa], "C", "device-refused"],
  [[0xa5, 0xac], "R", "device-refused"],
];

/** The errors of shtrih-protocol 8.2. */
const REGISTER: Row[] = [
  [[0x2f, 0x30, 0x31, 0x32], "S", "device-refused", "doubtful"],
  [[0x33], "C", "device-refused"],
  [[0x34], "-", "device-refused"],
  [[0x35, 0x36], "C", "device-refused"],
  [[0x37], "-", "device-refused"],
  [[0x38, 0x39], "S", "device-refused"],
  [[0x3a, 0x3e, 0x3f, 0x47, 0x4c, 0x51, 0x52, 0x53, 0x54, 0x6e, 0x6f, 0x85, 0x86, 0x87, 0x88, 0x89], "Z", "device-refused"],
  [[0x3c], "C", "shift-already-open"],
  [[0x3d], "C", "shift-closed"],
  [[0x40, 0x41, 0x42, 0x43, 0x44, 0x48, 0x60, 0x61, 0x62, 0x63, 0x7f, 0x8a, 0x8b], "X", "device-refused"],
  [[0x45], "C", "payments-differ"],
  [[0x46], "C", "cash-short"],
  [[0x49], "D", "device-refused"],
  [[0x4a], "D", "device-refused"],
  [[0x4b], "X", "document-too-large"],
  [[0x4d], "C", "payments-differ"],
  [[0x4e], "Z", "shift-expired"],
  [[0x4f], "C", "device-refused"],
  [[0x50], "R", "device-refused"],
  [[0x55], "D", "device-refused"],
  [[0x56], "-", "device-refused"],
  [[0x58], "B0", "no-paper"],
  [[0x59], "D", "device-refused"],
  [[0x5c], "P", "device-refused"],
  [[0x5d], "C", "device-refused"],
  [[0x5e], "D", "device-refused"],
  [[0x5f, 0x8c, 0x8d], "C", "device-refused"],
  [[0x65, 0x68, 0x6d], "C", "device-refused"],
  [[0x6a, 0x75], "R", "device-refused", "doubtful"],
  [[0x6b, 0x6c], "P", "no-paper"],
  [[0x71], "P", "device-refused"],
  [[0x72], "R", "no-paper"],
  [[0x73], "D", "device-refused"],
  [[0x74, 0x78, 0x93], "S", "device-refused", "doubtful"],
  [[0x77], "P", "device-refused"],
  [[0x7a], "-", "device-refused"],
  [[0x7b], "S", "device-refused"],
  [[0x7c, 0x7d], "C", "clock-wrong"],
  [[0x7e], "C", "device-refused"],
  [[0x84], "C", "device-refused"],
  [[0x8e], "C", "device-refused"],
  [[0x90, 0x91, 0x92], "C", "device-refused"],
  [[0x94], "X", "document-too-large"],
  [[0xc0], "C", "clock-wrong"],
  [[0xc2, 0xc4], "S", "device-refused"],
  [[0xc7], "Z", "device-refused"],
  [[0xc8], "P", "device-refused"],
  [[0xd3, 0xd4], "C", "mark-denied"],
  [[0xd5], "C", "device-refused"],
];

const ALL = [...DRIVE, ...REGISTER].flatMap(([codes, reaction, code, also]) =>
  codes.map((error) => ({
    hex: `${error.toString(16).toUpperCase().padStart(2, "0")}h`,
    error,
    reaction,
    code,
    doubtful: also === "doubtful",
  })),
);

describe("the errors of shtrih-protocol 8", () => {
  it("all have their place in the table, and nothing else has", () => {
    expect(ALL).toHaveLength(new Set(ALL.map(({ error }) => error)).size);
    expect([...DEVICE_ERRORS.keys()].sort((a, b) => a - b)).toEqual(ALL.map(({ error }) => error).sort((a, b) => a - b));
  });

  it.each(ALL)("say by $hex what it is in our words, and what class $reaction asks for", ({ hex, error, reaction, code, doubtful }) => {
    const refusal = refusalFrom({ error });
    expect(refusal).toMatchObject({ code, device: { code: hex } });
    expect(refusal.device?.words).toMatch(ADVICE[code === "device-refused" ? reaction : "-"]);
    expect(isDoubtful(error)).toBe(doubtful);
  });

  it("keep the extended number beside the short one", () => {
    expect(refusalFrom({ error: 0x5e, extended: 0x5e_0002 }).device?.code).toBe("5Eh (005E0002h)");
  });

  it("are told as they are where the table knows nothing of them", () => {
    expect(refusalFrom({ error: 0xee })).toEqual({ code: "device-refused", device: { code: "EEh", words: "Касса не выполнила команду" } });
  });
});
