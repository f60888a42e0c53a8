import type { Secret } from "../../../src/kernel/secret.ts";
import { createSeal } from "../../../src/security/seal.ts";
import type { TestDatabase } from "../../support/databases.ts";
import { FILL_TABLES, type FillOptions, MemberFiller } from "./members.ts";
import { postgresWriter } from "./postgres-writer.ts";
import { sqliteWriter } from "./sqlite-writer.ts";
import type { FillRow, FillWriter } from "./writer.ts";

/** A table's rows are written when at least so many are in memory. */
const ROWS_AT_ONCE = 20_000;

/** Fills the empty tables of a database that no store has open. */
export async function fillMembers({ options }: TestDatabase, secretKey: Secret, content: FillOptions): Promise<void> {
  const writer: FillWriter =
    options.kind === "sqlite" ? sqliteWriter(options.file) : await postgresWriter(options.url, options.schema ?? "public");
  const waiting = new Map<string, FillRow[]>(FILL_TABLES.map(({ name }) => [name, []]));
  const members = new MemberFiller(createSeal(secretKey), content);
  const flush = async (least: number) => {
    for (const table of FILL_TABLES) {
      const rows = waiting.get(table.name) ?? [];
      if (rows.length < least) continue;
      await writer.write(table, rows);
      waiting.set(table.name, []);
    }
  };
  for (let number = 0; number < content.members; number += 1) {
    members.add(number, (table, row) => void waiting.get(table)?.push(row));
    if (number % 100 === 0) await flush(ROWS_AT_ONCE);
  }
  await flush(1);
  await writer.finish();
}
