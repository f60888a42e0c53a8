import { join } from "node:path";
import { sql } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import type { Operation } from "../../src/model/operation.ts";
import type { Store } from "../../src/store/database.ts";
import { HeldFiles } from "../../src/store/held-files.ts";
import { DATABASE_KINDS, describeDatabase } from "../support/databases.ts";
import { sample } from "../support/extent.ts";
import { SCHEMES, Trial, temporaryFolder } from "../support/registers.ts";
import { cashOperation, saleOperation, shiftOperation, Till, textOf } from "../support/till.ts";

/** What the owner of the database does, and what comes next. The count of changes stays as it is. */
const CASES: [string, readonly string[], Operation][] = [
  ["the newest entry is deleted and its sale is repeated", deleted("order by id desc limit 1"), saleOperation("sale-3")],
  ["the newest entry is deleted and another sale comes", deleted("order by id desc limit 1"), saleOperation("sale-4")],
  ["an earlier entry is deleted and its sale is repeated", deleted("order by id desc limit 1 offset 1"), saleOperation("sale-2")],
  ["the first entry is deleted and its sale is repeated", deleted("where document_id = 'sale-1'"), saleOperation("sale-1")],
  ["a slip is deleted and repeated", deleted("where operation = 'cash-in'"), cashOperation("cash-in", "in-1", 5_000)],
  ["the opening is deleted and repeated", deleted("where operation = 'open-shift'"), shiftOperation("open-shift")],
  ["everything is deleted and the first sale is repeated", deleted(""), saleOperation("sale-1")],
  [
    "an earlier entry is as it was when it had been refused",
    ["update entries set state = 'refused', facts = null where document_id = 'sale-1'"],
    saleOperation("sale-1"),
  ],
  [
    "the newest entry is as it was when it was sent",
    [
      "delete from answers where entry_id = (select max(id) from entries)",
      "delete from moves where to_state = 'done' and entry_id = (select max(id) from entries)",
      "update entries set state = 'refused', facts = null where id = (select max(id) from entries)",
    ],
    saleOperation("sale-4"),
  ],
  [
    "the newest entry has lost the move that made it done",
    ["delete from moves where to_state = 'done' and entry_id = (select max(id) from entries)"],
    saleOperation("sale-4"),
  ],
  [
    "the newest entry is another document's",
    ["update entries set document_id = 'sale-9' where id = (select max(id) from entries)"],
    saleOperation("sale-4"),
  ],
];

function deleted(which: string): string[] {
  const ids = `(select id from (select id from entries ${which}) as which)`;
  return ["answers", "moves"]
    .map((table) => `delete from ${table} where entry_id in ${ids}`)
    .concat(`delete from entries where id in ${ids}`);
}

async function runAll(store: Store, texts: readonly string[]): Promise<void> {
  // The mark of SQLite's own file would be kept by whoever changes rows through SQLite.
  for (const text of texts) await sql.raw(text).execute(store.db);
}

for (const kind of DATABASE_KINDS.filter(({ shared }) => shared)) {
  describeDatabase("rows of the journal that somebody takes away or puts back while the server runs", kind, () => {
    it.each(sample(CASES, 3))("are missed before anything more is sent (%s)", async (_what, texts, next) => {
      const trial = await Trial.begin(SCHEMES[0] ?? "");
      const database = await kind.make();
      onTestFinished(() => database.drop());
      const place =
        kind.kind === "sqlite" ? { kind: "sqlite" as const, file: join(await temporaryFolder(), "fiscal.sqlite") } : database.options;
      const reasons: string[] = [];
      const till = await Till.open({ trial, place, held: new HeldFiles((reason) => reasons.push(reason)) });
      await till.submit(shiftOperation("open-shift"));
      await till.submit(cashOperation("cash-in", "in-1", 5_000));
      for (const id of ["sale-1", "sale-2", "sale-3"]) expect(textOf(await till.submit(saleOperation(id)))).toMatch(/^receipt/);
      const made = [await till.documents(), (await trial.state()).drawerKopecks];
      await runAll(till.store, texts);
      await expect(till.submit(next)).rejects.toMatchObject({ code: "database-gone", retrySafe: true });
      expect([await till.documents(), (await trial.state()).drawerKopecks]).toEqual(made);
      expect(reasons).toEqual([
        expect.stringMatching(/was changed \(entry \d+, which was done, is missing or as it was before\) under the/),
      ]);
    });

    it("are no other when a person, a restart or another process has gone on with them", async () => {
      const database = await kind.make();
      onTestFinished(() => database.drop());
      const till = await Till.open({ place: database.options, held: new HeldFiles() });
      expect(textOf(await till.submit(saleOperation("sale-1")))).toBe("shift-closed");
      await till.submit(shiftOperation("open-shift"));
      const others = till.journal;
      const [refused] = await others.list({ limit: 1, documentId: "sale-1" });
      if (refused === undefined) throw new Error("the refused sale is missing");
      // Another process takes it up and ends it.
      const waiting = await others.accept(refused);
      expect(textOf(await till.submit(saleOperation("sale-2")))).toMatch(/^receipt 3/);
      await others.finish(waiting, { kind: "refused", refusal: { code: "lane-full" } }, "register");
      expect(textOf(await till.submit(saleOperation("sale-3")))).toMatch(/^receipt 4/);
      expect(textOf(await till.submit(saleOperation("sale-1")))).toMatch(/^receipt 5/);
    });
  });
}
