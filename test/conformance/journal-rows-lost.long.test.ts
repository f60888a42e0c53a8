import { join } from "node:path";
import { sql } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import type { Operation } from "../../src/model/operation.ts";
import type { Store } from "../../src/store/database.ts";
import { HeldFiles } from "../../src/store/held-files.ts";
import { DATABASE_KINDS, describeDatabase } from "../support/databases.ts";
import { receiptDocument } from "../support/register-documents.ts";
import { SCHEMES, Trial, temporaryFolder } from "../support/registers.ts";
import { cashOperation, saleOperation, shiftOperation, Till, textOf } from "../support/till.ts";

/** What the owner of the database does, and the operation after it. The owner does not change the count of changes. */
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
  ["a slip is as it was while it waited, and is repeated", setBack("in-1", "queued"), cashOperation("cash-in", "in-1", 5_000)],
  ["an earlier sale is as it was while it waited, and is repeated", setBack("sale-1", "queued"), saleOperation("sale-1")],
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

function setBack(documentId: string, state: "queued" | "sending"): string[] {
  const id = `(select id from entries where document_id = '${documentId}')`;
  const checkpoint = state === "queued" ? ", checkpoint = null" : "";
  return [
    `delete from answers where entry_id = ${id}`,
    `delete from moves where to_state ${state === "queued" ? "<> 'queued'" : "= 'done'"} and entry_id = ${id}`,
    `update entries set state = '${state}', facts = null${checkpoint} where document_id = '${documentId}'`,
  ];
}

async function runAll(store: Store, texts: readonly string[]): Promise<void> {
  // Whoever changes rows through SQLite also keeps the mark of SQLite's file.
  for (const text of texts) await sql.raw(text).execute(store.db);
}

for (const kind of DATABASE_KINDS.filter(({ shared }) => shared)) {
  describeDatabase("rows of the journal that somebody takes away or puts back while the server runs", kind, () => {
    it.each(CASES.flatMap(([what, ...rest]) => [[what, "", ...rest] as const, [what, ", after a restart", ...rest] as const]))(
      "are missed before anything more is sent (%s%s)",
      async (_what, restarted, texts, next) => {
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
        if (restarted !== "") await till.killAndRestart();
        await runAll(till.store, texts);
        await expect(till.submit(next)).rejects.toMatchObject({ code: "database-gone", retrySafe: true });
        expect([await till.documents(), (await trial.state()).drawerKopecks]).toEqual(made);
        expect(reasons).toEqual([
          expect.stringMatching(/was changed \(entry \d+, which was done, is missing or as it was before\) under the/),
        ]);
      },
    );

    it("are missed when an earlier operation is settled anew, which is as it was while it was sent", async () => {
      const trial = await Trial.begin(SCHEMES[0] ?? "");
      const database = await kind.make();
      onTestFinished(() => database.drop());
      const reasons: string[] = [];
      const till = await Till.open({ trial, place: database.options, held: new HeldFiles((reason) => reasons.push(reason)) });
      await till.submit(shiftOperation("open-shift"));
      for (const id of ["sale-1", "sale-2"]) expect(textOf(await till.submit(saleOperation(id)))).toMatch(/^receipt/);
      await runAll(till.store, setBack("sale-1", "sending"));
      expect(textOf(await till.submit(saleOperation("sale-1")))).toBe("in-doubt");
      await expect(till.submit(saleOperation("sale-3"))).rejects.toMatchObject({ code: "database-gone", retrySafe: true });
      expect(await till.documents()).toBe(4);
      expect(reasons).toEqual([expect.stringMatching(/was changed \(entry \d+, which was done, is missing or as it was before\)/)]);
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
      // Another process takes the operation up and ends it.
      const waiting = await others.accept(refused);
      expect(textOf(await till.submit(saleOperation("sale-2")))).toMatch(/^receipt 3/);
      await others.finish(waiting, { kind: "refused", refusal: { code: "lane-full" } }, "register");
      expect(textOf(await till.submit(saleOperation("sale-3")))).toMatch(/^receipt 4/);
      expect(textOf(await till.submit(saleOperation("sale-1")))).toMatch(/^receipt 5/);
    });
  });
}

it("what a drive holds behind the rows that are left is read again, also once other registers have gone on since the start", async () => {
  const till = await Till.open();
  await till.openShift();
  const sales = ["sale-1", "sale-2", "sale-3"].map((id) => saleOperation(id));
  for (const sale of sales.slice(0, 2)) expect(textOf(await till.submitAndWait(sale))).toMatch(/^receipt/);
  // A document of somebody else makes the server store how far it has read.
  await till.trial.perform(receiptDocument());
  expect(textOf(await till.submitAndWait(saleOperation("sale-3")))).toMatch(/^receipt 6/);
  await runAll(till.store, deleted("where document_id in ('sale-2', 'sale-3')"));
  await till.killAndRestart();
  const [first] = await till.journal.list({ documentId: "sale-1", limit: 1 });
  if (first === undefined) throw new Error("the first sale is missing");
  for (let number = 1; number <= 4; number += 1) {
    const key = { ...first.key, documentId: `other-${number}` };
    const entry = await till.journal.accept({ ...first, key, register: "emulator:other" });
    await till.journal.finish(entry, { kind: "refused", refusal: { code: "lane-full" } }, "register");
  }
  const repeated: string[] = [];
  for (const sale of sales) repeated.push(textOf(await till.submitAndWait(sale)));
  expect(repeated.map((text) => text.split(" ").slice(0, 2).join(" "))).toEqual(["receipt 3", "receipt 4", "receipt 6"]);
  expect(await till.documents()).toBe(6);
});
