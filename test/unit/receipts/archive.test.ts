import { inflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { archiveOf } from "../../../src/receipts/archive.ts";

/** Entries of a zip by its central directory (APPNOTE 4.3.12), read without a library. */
function entriesOf(zip: Buffer): { name: string; content: Buffer; time: number }[] {
  const end = zip.lastIndexOf(Buffer.from("504b0506", "hex"));
  const entries: { name: string; content: Buffer; time: number }[] = [];
  for (let index = 0, at = zip.readUInt32LE(end + 16); index < zip.readUInt16LE(end + 10); index++) {
    const name = zip.toString("utf8", at + 46, at + 46 + zip.readUInt16LE(at + 28));
    const local = zip.readUInt32LE(at + 42);
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const stored = zip.subarray(start, start + zip.readUInt32LE(at + 20));
    const content = zip.readUInt16LE(at + 10) === 0 ? stored : inflateRawSync(stored);
    entries.push({ name, content, time: zip.readUInt32LE(at + 12) });
    at += 46 + zip.readUInt16LE(at + 28) + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return entries;
}

describe("the archive of a receipt", () => {
  it("has the PDF as its one entry, with the document's own time", async () => {
    const pdf = Buffer.from("%PDF-1.3 …");
    const [entry, ...more] = entriesOf(await archiveOf(pdf, "2026-11-12 18:42:10"));
    expect(more).toEqual([]);
    expect(entry?.name).toBe("receipt.pdf");
    expect(entry?.content).toEqual(pdf);
    // 2026-11-12 and 18:42:10 in the form of MS-DOS: two-second steps, years since 1980.
    expect(entry?.time).toBe((((46 << 9) | (11 << 5) | 12) << 16) | ((18 << 11) | (42 << 5) | 5));
  });

  it("is the same for the same PDF", async () => {
    const pdf = Buffer.alloc(5000, 7);
    expect(await archiveOf(pdf, "2026-11-12 18:42:10")).toEqual(await archiveOf(pdf, "2026-11-12 18:42:10"));
  });
});
