import { sql } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import type { EntryContent } from "../../src/journal/entry.ts";
import { Journal } from "../../src/journal/journal.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { READ_IN_A_TURN } from "../../src/operations/reading-bounds.ts";
import { openStore, type Store } from "../../src/store/database.ts";
import { DATABASE_KINDS, describeDatabase } from "../support/databases.ts";
import { checkpoint, entryContent, entryKey, saleFacts } from "../support/journal-entries.ts";
import { receiptDocument } from "../support/register-documents.ts";
import { SCHEMES, Trial } from "../support/registers.ts";
import { copyOf, restore } from "../support/restored.ts";
import { cashOperation, saleOperation, shiftOperation, Till, textOf } from "../support/till.ts";

/** Deletes the newest entries with all that belongs to them, as somebody does in the database itself. */
async function deleteNewest(store: Store, count: number, by: "id" | "moved_at_ms" = "id"): Promise<void> {
  const { rows } = await sql<{ id: number }>`select id from entries order by ${sql.ref(by)} desc, id desc limit ${count}`.execute(store.db);
  for (const { id } of rows) {
    for (const table of ["answers", "day_answers", "moves"]) {
      await sql`delete from ${sql.table(table)} where entry_id = ${id}`.execute(store.db);
    }
    await sql`delete from entries where id = ${id}`.execute(store.db);
  }
}

async function sell(till: Till, id: string): Promise<string> {
  return textOf(await till.submitAndWait(saleOperation(id)))
    .split(" ")
    .slice(0, 2)
    .join(" ");
}

/** More documents than are read of a drive whose reading is not known. */
const MANY = READ_IN_A_TURN + 10;

it("sales that a restored copy lacks are still found after newer rows were deleted while no server ran", async () => {
  const till = await Till.open();
  await till.openShift();
  const copy = await copyOf(till.store);
  expect(await sell(till, "lost-1")).toBe("receipt 3");
  expect(await sell(till, "lost-2")).toBe("receipt 4");
  await restore(till.store, copy);
  await till.killAndRestart();
  expect(await sell(till, "sale-1")).toBe("receipt 5");
  // Documents of somebody else make the server store how far it has read.
  for (let nth = 1; nth <= MANY; nth += 1) await till.trial.perform(receiptDocument());
  expect(await sell(till, "sale-2")).toBe("register-unreachable");
  const number = 6 + MANY;
  expect(await sell(till, "sale-2")).toBe(`receipt ${number}`);
  await till.trial.perform(receiptDocument());
  expect(await sell(till, "sale-3")).toBe(`receipt ${number + 2}`);
  await deleteNewest(till.store, 2);
  await till.killAndRestart();
  for (let turn = 1; turn <= 2; turn += 1) {
    const repeated: string[] = [];
    for (const id of ["sale-3", "sale-3", "sale-2", "lost-1", "lost-2"]) repeated.push(await sell(till, id));
    const found = [number + 2, number, 3, 4].map((one) => `receipt ${one}`);
    expect(repeated.slice(1)).toEqual(found);
    await till.killAndRestart();
  }
  expect(await till.documents()).toBe(number + 2);
});

it("a sale with an old entry that has the newest document is found after the rows of the last minute were deleted", async () => {
  const till = await Till.open();
  await till.openShift();
  till.trial.device.setPaper(false);
  expect(await sell(till, "late")).toBe("no-paper");
  till.trial.device.setPaper(true);
  expect(await sell(till, "sale-1")).toBe("receipt 3");
  expect(await sell(till, "sale-2")).toBe("receipt 4");
  expect(await sell(till, "late")).toBe("receipt 5");
  // A document of somebody else makes the next turn store how far it has read. The register refuses that turn's operation.
  await till.trial.perform(receiptDocument());
  expect(textOf(await till.submitAndWait(cashOperation("cash-out", "out", 99_999_999)))).toBe("cash-short");
  await deleteNewest(till.store, 2, "moved_at_ms");
  expect((await till.journal.list({ limit: 9 })).map(({ key }) => key.documentId)).toEqual(["sale-2", "sale-1", "shift-1"]);
  await till.killAndRestart();
  expect(await sell(till, "late")).toBe("receipt 5");
  expect(await sell(till, "sale-3")).toBe("receipt 7");
});

it("a reading is not trusted where the newest entry was deleted and made a lower document than the one before it", async () => {
  const store = await openStore({ kind: "sqlite", file: ":memory:" }, { clock: systemClock });
  onTestFinished(() => store.close());
  await store.migrate();
  const before = new Journal({ store, clock: systemClock });
  const accept = (documentId: string) => before.accept(entryContent({ key: entryKey({ documentId }), twinHash: documentId }));
  // The second has its turn first, as another account's may.
  const [first, second] = [await accept("first"), await accept("second")];
  const { driveNumber } = checkpoint();
  for (const [entry, documentNumber] of [
    [second, 42],
    [first, 43],
  ] as const) {
    const facts = saleFacts({ documentNumber, fiscalSign: `${documentNumber}` });
    await before.finish(await before.send(entry, checkpoint()), { kind: "done", facts }, "register");
  }
  await (await before.drives.of(driveNumber, 43)).keep(44, [{ number: 44, kind: "others" }]);
  expect(await new Journal({ store, clock: systemClock }).drives.of(driveNumber, 43)).toMatchObject({ readTo: 43, seenTo: 44 });
  await deleteNewest(store, 1);
  expect((await new Journal({ store, clock: systemClock }).drives.of(driveNumber, 43)).readTo).toBeUndefined();
});

const [POSTGRES] = DATABASE_KINDS.filter(({ kind }) => kind === "postgres");
if (POSTGRES === undefined) throw new Error("PostgreSQL is missing in the list");
describeDatabase("rows of a dead process", POSTGRES, () => {
  /** Not waited for in virtual time, because the database is a real one. */
  async function sell(till: Till, id: string): Promise<string> {
    return textOf(await till.submit(saleOperation(id)))
      .split(" ")
      .slice(0, 2)
      .join(" ");
  }

  it("that were deleted after the others noticed its end are missed before another process takes anything at its register", async () => {
    const database = await POSTGRES.make();
    onTestFinished(() => database.drop());
    const store = await database.open();
    await store.migrate();
    const [dead, living] = [new Journal({ store, clock: systemClock }), new Journal({ store, clock: systemClock })];
    const made = async (documentId: string, more: Partial<EntryContent> = {}) => {
      const begun = await dead.begin(entryContent({ key: entryKey({ documentId }), twinHash: documentId, ...more }), checkpoint());
      return dead.finish(begun, { kind: "refused", refusal: { code: "not-registered" } }, "register");
    };
    const [kept, gone] = [await made("kept", { register: "emulator:kept" }), await made("gone")];
    await living.rememberNewest((register) => register === kept.register);
    await deleteNewest(store, 2);
    const next = (register: string) =>
      living.accept(entryContent({ key: entryKey({ documentId: register }), twinHash: register, register }));
    expect(await next(kept.register)).toMatchObject({ state: "queued" });
    await expect(next(gone.register)).rejects.toMatchObject({ code: "database-gone" });
  });

  it("and of a living process that gave its register away are missed when they are repeated where the register is now", async () => {
    const database = await POSTGRES.make();
    onTestFinished(() => database.drop());
    const store = await database.open();
    await store.migrate();
    const [before, now] = [new Journal({ store, clock: systemClock }), new Journal({ store, clock: systemClock })];
    const content = (documentId: string) => entryContent({ key: entryKey({ documentId }), twinHash: documentId });
    const refuse = async (journal: Journal, documentId: string) => {
      const begun = await journal.begin(content(documentId), checkpoint());
      return journal.finish(begun, { kind: "refused", refusal: { code: "not-registered" } }, "register");
    };
    const repeated = await refuse(now, "repeated");
    await refuse(before, "gone");
    await refuse(before, "repeated");
    const isHere = (register: string) => register === repeated.register;
    await now.rememberNewest(isHere);
    await refuse(now, "newest");
    await sql`update entries set attempt = 1 where document_id = 'repeated'`.execute(store.db);
    await sql`delete from moves where entry_id in (select id from entries where document_id = 'gone')`.execute(store.db);
    await sql`delete from entries where document_id = 'gone'`.execute(store.db);
    for (const documentId of ["gone", "repeated"])
      await expect(now.begin(content(documentId), checkpoint())).rejects.toMatchObject({ code: "database-gone" });
  });

  it("that were deleted before another process took its register over are found in the drive", async () => {
    const trial = await Trial.begin(SCHEMES[0] ?? "");
    const database = await POSTGRES.make();
    onTestFinished(() => database.drop());
    const dead = await Till.open({ trial, place: database.options });
    const living = await Till.open({ trial, store: dead.store });
    await dead.submit(shiftOperation("open-shift"));
    expect(await sell(dead, "sale-1")).toBe("receipt 3");
    // A document of somebody else makes the process store how far it has read.
    await trial.perform(receiptDocument());
    expect(await sell(dead, "sale-2")).toBe("receipt 5");
    await trial.perform(receiptDocument());
    expect(await sell(dead, "sale-3")).toBe("receipt 7");
    // Another register goes on at the living process, so the newest entry of the journal is not the dead process's.
    const [newest] = await dead.journal.list({ limit: 1 });
    if (newest === undefined) throw new Error("no entry");
    await deleteNewest(dead.store, 2);
    const other = await living.journal.accept({ ...newest, key: { ...newest.key, documentId: "other" }, register: "emulator:other" });
    await living.journal.finish(other, { kind: "refused", refusal: { code: "lane-full" } }, "register");
    const repeated: string[] = [];
    for (const id of ["sale-2", "sale-3", "sale-1"]) repeated.push(await sell(living, id));
    expect(repeated).toEqual(["receipt 5", "receipt 7", "receipt 3"]);
    expect(await living.documents()).toBe(7);
  });
});
