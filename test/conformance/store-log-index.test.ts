import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openStore } from "../../src/store/database.ts";
import { HeldFiles } from "../../src/store/held-files.ts";

const COMMITS = 5;

/** Commits some rows, cuts the index of its own log to nothing, and goes on. */
const SERVER = `
  import { truncateSync } from "node:fs";
  import { openStore } from ${JSON.stringify(new URL("../../src/store/database.ts", import.meta.url).href)};
  const file = process.argv[1];
  const store = await openStore({ kind: "sqlite", file });
  await store.migrate();
  const change = (shift_number) => store.commit((tx) =>
    tx.insertInto("shift_links").values({ register: "r", drive_number: "9999", shift_number, id_type: "t", shift_id: "s" }).execute());
  for (let number = 1; number <= ${COMMITS}; number += 1) await change(number);
  truncateSync(file + "-shm", 0);
  await change(${COMMITS + 1});
`;

it("a process whose log's index is cut to nothing is ended by the system, and the next start has all that was committed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "store-log-index-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "fiscal.sqlite");
  const server = spawn(process.execPath, ["--input-type=module", "-e", SERVER, file], { stdio: "ignore" });
  const [, signal] = await once(server, "exit");
  expect(signal).toBe("SIGBUS");
  const reasons: string[] = [];
  const store = await openStore({ kind: "sqlite", file }, { held: new HeldFiles((reason) => reasons.push(reason)) });
  onTestFinished(() => store.close());
  await store.migrate();
  await store.ping();
  const rows = await store.read((db) => db.selectFrom("shift_links").select("shift_number").orderBy("shift_number").execute());
  expect(rows.map(({ shift_number }) => shift_number)).toEqual(Array.from({ length: COMMITS }, (_, at) => at + 1));
  expect(reasons).toEqual([]);
});
