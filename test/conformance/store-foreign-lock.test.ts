import { join } from "node:path";
import { sql } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import { openStore } from "../../src/store/database.ts";
import { HeldFiles } from "../../src/store/held-files.ts";
import { startChild } from "../support/child.ts";
import { temporaryFolder } from "../support/registers.ts";

const HELD_MS = 250;
// How many commits succeed without any gap depends on the machine, so the row store.locked of the benchmark counts them.
const GAP_MS = 10;
const SALES = 6;

it("sales get their commit beside a foreign program that locks the file most of the time, and no statement waits for it", async () => {
  const file = join(await temporaryFolder(), "fiscal.sqlite");
  const store = await openStore({ kind: "sqlite", file }, { held: new HeldFiles() });
  onTestFinished(() => store.close());
  await store.migrate();
  expect((await sql<{ timeout: number }>`pragma busy_timeout`.execute(store.db)).rows).toEqual([{ timeout: 0 }]);
  const child = startChild("locker.ts", file, String(HELD_MS), String(GAP_MS));
  onTestFinished(() => child.kill());
  await child.lines.next();
  for (let sale = 0; sale < SALES; sale += 1) {
    const row = { drive_number: "9999078900000001", document_number: sale, reference: "x" };
    await store.commit((tx) => tx.insertInto("lost_documents").values(row).execute());
  }
});
