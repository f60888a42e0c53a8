import { join } from "node:path";
import { sql } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import type { Store } from "../../src/store/database.ts";
import { HeldFiles } from "../../src/store/held-files.ts";
import { DATABASE_KINDS, describeDatabase } from "../support/databases.ts";
import { copyFiles, overwrite } from "../support/overwritten.ts";
import { SCHEMES, Trial, temporaryFolder } from "../support/registers.ts";
import { saleOperation, shiftOperation, Till, textOf } from "../support/till.ts";

/** A copy of a server's database, and the way in which it replaces the database in use. */
interface Backup {
  take(): Promise<void>;
  putBack(): Promise<void>;
}

const TABLES = ["entries", "moves", "answers", "day_answers", "shift_links", "drive_readings", "lost_documents", "commit_marks"] as const;

function backupOf(store: Store, file: string | undefined): Backup {
  if (file !== undefined) {
    return { take: async () => copyFiles(file, `${file}.copy`), putBack: async () => overwrite(file, `${file}.copy`) };
  }
  const run = (text: string) => sql.raw(text).execute(store.db);
  return {
    async take() {
      for (const table of TABLES) await run(`create table copy_of_${table} as table ${table}`);
    },
    async putBack() {
      // Payments refer to entries, so PostgreSQL empties them too.
      await run(`truncate ${TABLES.join(", ")} cascade`);
      for (const table of TABLES) await run(`insert into ${table} overriding system value table copy_of_${table}`);
    },
  };
}

for (const kind of DATABASE_KINDS.filter(({ shared }) => shared)) {
  describeDatabase("a database that is overwritten with its copy while it is used", kind, () => {
    it(`sends nothing more to a register, ends once, and finds what the copy lacks when it is started again (${kind.title})`, async () => {
      const trial = await Trial.begin(SCHEMES[0] ?? "");
      const database = await kind.make();
      onTestFinished(() => database.drop());
      const file = kind.kind === "sqlite" ? join(await temporaryFolder(), "fiscal.sqlite") : undefined;
      const place = file === undefined ? database.options : ({ kind: "sqlite", file } as const);
      const reasons: string[] = [];
      const till = await Till.open({ trial, place, held: new HeldFiles((reason) => reasons.push(reason)) });
      await till.submit(shiftOperation("open-shift"));
      const backup = backupOf(till.store, file);
      await backup.take();
      expect(textOf(await till.submit(saleOperation("sale-1")))).toMatch(/^receipt 3/);
      await backup.putBack();
      for (const id of ["sale-2", "sale-1"]) {
        await expect(till.submit(saleOperation(id))).rejects.toMatchObject({ code: "database-gone", retrySafe: true });
      }
      expect([await till.documents(), reasons.length]).toEqual([3, 1]);

      const again = await Till.open({
        trial,
        place: file === undefined ? place : { kind: "sqlite", file: `${file}.copy` },
        held: new HeldFiles(),
      });
      expect(textOf(await again.submit(saleOperation("sale-1")))).toMatch(/^receipt 3/);
      expect(textOf(await again.submit(saleOperation("sale-2")))).toMatch(/^receipt 4/);
      expect(await again.documents()).toBe(4);
    });
  });
}
