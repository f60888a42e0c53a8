import { counted, type Field, minute, optional, rest, u8, u16, u32 } from "./fields.ts";
import { readFields, type ValuesOf } from "./layout.ts";
import { row } from "./table.ts";

const password = u32;

/** Time limits of answers, ms (shtrih-protocol 3.3). During a check the device may wait for a server, as long as T19F7 says. */
const CHECK_MS = 45_000;
const MARK_MS = 35_000;

const read = { allowedMs: MARK_MS, clause: "5.9", repeat: "safe" } as const;
const change = { allowedMs: MARK_MS, clause: "5.9" } as const;

/** The length of the marking code and the length of its tags, one byte each, then the code and the tags. */
const codeAndTags: Field<{ code: Uint8Array; tlv: Uint8Array }> = {
  bytes: 2,
  length: (left) => 2 + (left[0] ?? 0) + (left[1] ?? 0),
  read(from) {
    const end = 2 + (from[0] ?? 0);
    return { code: from.subarray(2, end), tlv: from.subarray(end) };
  },
  write: ({ code, tlv }) => Buffer.concat([u8.write(code.length), u8.write(tlv.length), code, tlv]),
};

/** Two bytes as in tag 1162, highest first: 444Dh is "DM". */
const prefix: Field<number> = {
  bytes: 2,
  read: (from) => from.readUInt16BE(0),
  write: (value) => Buffer.from(u16.write(value)).swap16(),
};

/** The result of a check, in the answer of FF61. The answer of FF67 contains this result too when the code was not checked before. */
const checked = { local: u8, reason: u8, type: u8, online: counted };

export type CheckFound = ValuesOf<typeof checked>;

/** Reads the field `result` of the answer to `bindMark`. Undefined: bytes are missing. */
export function readCheck(result: Buffer): CheckFound | undefined {
  const read = readFields(checked, result);
  return read.kind === "short" ? undefined : (read.values as CheckFound);
}

/** Commands of marking codes (shtrih-protocol 5.9). */
export const MARK_COMMANDS = {
  checkMark: row(0xff61, "check marking code", { password, plan: u8, mode: u8, mark: codeAndTags }, checked, {
    allowedMs: CHECK_MS,
    clause: "5.9",
    repeat: "safe",
  }),
  acceptMark: row(0xff69, "accept marking code", { password, decision: u8 }, { result: u8 }, change),
  bindMark: row(
    0xff67,
    "bind marking code",
    { password, code: counted, flag: optional(u8) },
    { prefix, dataMatrix: u8, result: optional(rest) },
    { allowedMs: CHECK_MS, clause: "5.9" },
  ),
  notificationStatus: row(
    0xff68,
    "notification status",
    { password },
    { state: u8, count: u16, current: u32, time: minute, percent: u8 },
    read,
  ),
  markStatus: row(
    0xff70,
    "marking status",
    { password },
    { check: u8, notifications: u8, flags: u8, saved: u8, included: u8, fill: u8, queue: u16 },
    read,
  ),
  beginNotifications: row(0xff71, "begin notifications", { password }, { count: u16, first: u32, size: u16 }, change),
  readNotification: row(0xff72, "read notification", { password }, { number: u32, size: u16, offset: u16, data: rest }, change),
  confirmNotification: row(0xff73, "confirm notification", { password, number: u32, check: rest }, {}, change),
};
