import { sql } from "kysely";
import type { Migration } from "./types.ts";

/** Makes the index of the payments that were reported because they have no sale. Each check for alerts and each scrape reads them. */
export const unsold: Migration = {
  version: 20,
  name: "unsold",
  async up({ schema }) {
    await schema
      .createIndex("payments_told_unsold")
      .on("payments")
      .columns(["paid_at_ms", "id"])
      .where(sql<boolean>`sale_entry_id is null`)
      .where(sql<boolean>`unsold_told = 1`)
      .where(sql<boolean>`state in ('paid', 'partly refunded', 'refunding')`)
      .execute();
  },
};
