import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { markIn, markInRow, pageSizeIn } from "../../../../src/store/dialects/sqlite-format.ts";
import { SqliteInnerMark } from "../../../../src/store/dialects/sqlite-inner-mark.ts";

/** The header of a database with a mark, and the page after the first with the same mark. */
function marked(count: number, token: number, pageSize = 4096): { header: Buffer; page: Buffer } {
  const database = new Database(":memory:");
  database.pragma(`page_size = ${pageSize}`);
  const inner = new SqliteInnerMark(database);
  inner.make();
  inner.write({ count, token });
  database.pragma(`user_version = ${count}`);
  database.pragma(`application_id = ${token}`);
  const bytes = database.serialize();
  const at = ((inner.pages()[0] ?? 0) - 1) * pageSize;
  database.close();
  return { header: bytes.subarray(0, 100), page: bytes.subarray(at, at + pageSize) };
}

describe("the mark of a SQLite file", () => {
  it.each([
    [0, 0],
    [1, 1],
    [2, -1],
    [127, -128],
    [128, -129],
    [32_767, 32_768],
    [8_388_607, -8_388_609],
    [2_147_483_647, -2_147_483_648],
    [-2_147_483_648, 2_147_483_647],
  ])("is read in the first page and in the page behind it alike: %d, %d", (count, token) => {
    for (const pageSize of [512, 4_096, 65_536]) {
      const { header, page } = marked(count, token, pageSize);
      expect([markIn(header), markInRow(page), pageSizeIn(header)]).toEqual([{ count, token }, { count, token }, pageSize]);
    }
  });

  it("is not read in a page of anything else", () => {
    const { page } = marked(5, 7);
    const two = Buffer.from(page);
    two.writeUInt16BE(2, 3);
    const elsewhere = Buffer.from(page);
    elsewhere.writeUInt16BE(4_095, 8);
    for (const other of [Buffer.alloc(4_096), Buffer.alloc(4_096, 0x0d), page.map(() => 0xff), two, elsewhere]) {
      expect(markInRow(Buffer.from(other))).toBeUndefined();
    }
  });
});
