import { sql } from "kysely";
import type { Migration } from "./types.ts";

/** Makes the index of the slips for cash by drive and shift, because slips have no number in the drive. */
export const slips: Migration = {
  version: 19,
  name: "slips",
  async up({ schema }) {
    await schema
      .createIndex("entries_slips")
      .on("entries")
      .columns(["drive_number", "shift_number"])
      .where(sql`operation`, "in", sql`('cash-in', 'cash-out')`)
      .execute();
  },
};
