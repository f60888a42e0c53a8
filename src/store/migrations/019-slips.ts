import { sql } from "kysely";
import type { Migration } from "./types.ts";

/** Finds the slips for cash of a device's shift, however many documents of other registers follow. Slips have no number in the drive. */
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
