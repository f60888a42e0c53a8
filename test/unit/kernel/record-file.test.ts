import { describe, expect, it } from "vitest";
import { frameRecord, headBytesOf, holdsRecord, unframeRecord } from "../../../src/kernel/record-file.ts";
import { DRIVE_RECORD } from "../../../src/registers/virtual/drive-record.ts";
import { LOG_RECORD } from "../../../src/tools/sandbox/account/log-record.ts";

/** Files as earlier programs wrote them. */
const WRITTEN = {
  drive: "464452310300000007000000ca933c8c636f6e74656e74",
  log: "5342583107000000b84b1521636f6e74656e74",
};

describe.each([
  { name: "drive", format: DRIVE_RECORD, place: 3, written: WRITTEN.drive },
  { name: "log", format: LOG_RECORD, place: 0, written: WRITTEN.log },
])("a record of a $name on disk", ({ name, format, place, written }) => {
  const content = Buffer.from("content");
  const record = frameRecord(format, content, place);

  it(`has the bytes that it always had (${name})`, () => {
    expect(record.toString("hex")).toBe(written);
  });

  it(`is found with its place, also behind others (${name})`, () => {
    const bytes = Buffer.concat([frameRecord(format, Buffer.from("before"), 2), record]);
    expect(unframeRecord(format, bytes, bytes.length - record.length)).toEqual({ kind: "record", place, content, end: bytes.length });
  });

  it(`asks for more while it is incomplete, from the first byte on (${name})`, () => {
    for (let length = 0; length < record.length; length += 1) {
      expect(unframeRecord(format, record.subarray(0, length), 0).kind).toBe("more");
    }
  });

  it(`is broken by any single changed byte, or asks for more when its length grew (${name})`, () => {
    for (let at = 0; at < record.length; at += 1) {
      const changed = Buffer.from(record);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(unframeRecord(format, changed, 0).kind, `byte ${at}`).not.toBe("record");
    }
  });

  it(`is found anywhere in damaged bytes, and nothing else is taken for one (${name})`, () => {
    expect(holdsRecord(format, Buffer.concat([Buffer.from(`garbage ${format.mark}`), record, Buffer.from("x")]))).toBe(true);
    expect(holdsRecord(format, Buffer.concat([Buffer.from(`${format.mark}${format.mark}`), record.subarray(0, -1)]))).toBe(false);
    expect(holdsRecord(format, Buffer.alloc(headBytesOf(format)))).toBe(false);
    expect(holdsRecord(format, record, 1)).toBe(false);
  });
});

it("a record is not believed when its length is absurd", () => {
  const changed = frameRecord(DRIVE_RECORD, Buffer.from("content"));
  changed.writeUInt32LE(DRIVE_RECORD.maxBytes + 1, 8);
  expect(unframeRecord(DRIVE_RECORD, changed, 0)).toMatchObject({ kind: "broken" });
});
