import { describe, expect, it } from "vitest";
import { frame, HEAD_BYTES, holdsRecord, MAX_RECORD_BYTES, unframe } from "../../../../src/registers/virtual/drive-record.ts";

const record = frame(3, Buffer.from("content"));

describe("a record on disk", () => {
  it("is found with its place, also behind others", () => {
    const bytes = Buffer.concat([frame(2, Buffer.from("before")), record]);
    expect(unframe(bytes, bytes.length - record.length)).toEqual({
      kind: "record",
      place: 3,
      content: Buffer.from("content"),
      end: bytes.length,
    });
  });

  it("asks for more while it is incomplete, from the first byte on", () => {
    for (let length = 0; length < record.length; length += 1) expect(unframe(record.subarray(0, length), 0).kind).toBe("more");
  });

  it("is broken by any single changed byte, or asks for more when its length grew", () => {
    for (let at = 0; at < record.length; at += 1) {
      const changed = Buffer.from(record);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(unframe(changed, 0).kind, `byte ${at}`).not.toBe("record");
    }
  });

  it("is not believed when its length is absurd", () => {
    const changed = Buffer.from(record);
    changed.writeUInt32LE(MAX_RECORD_BYTES + 1, 8);
    expect(unframe(changed, 0)).toMatchObject({ kind: "broken" });
  });

  it("is found anywhere in damaged bytes, and nothing else is taken for one", () => {
    expect(holdsRecord(Buffer.concat([Buffer.from("garbage FDR1"), record, Buffer.from("x")]))).toBe(true);
    expect(holdsRecord(Buffer.concat([Buffer.from("FDR1FDR1"), record.subarray(0, -1)]))).toBe(false);
    expect(holdsRecord(Buffer.alloc(HEAD_BYTES))).toBe(false);
  });
});
