import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pause, systemClock } from "../../src/kernel/clock.ts";
import { openStore } from "../../src/store/database.ts";
import { HeldFiles } from "../../src/store/held-files.ts";
import { startChild } from "../support/child.ts";
import { type Part, type Row, rounded } from "./row.ts";

const HELD_MS = 250;
const SALES = 20;
const PAUSE_MS = 300;

/** The share of commits that succeed while another program locks the SQLite file again at once, each time for 250 ms. */
export const lockedBench: Part = {
  prefix: "store.locked",
  async run(note): Promise<Row[]> {
    const folder = mkdtempSync(join(tmpdir(), "fiscal-bench-locked-"));
    const file = join(folder, "fiscal.sqlite");
    const store = await openStore({ kind: "sqlite", file }, { held: new HeldFiles() });
    await store.migrate();
    const child = startChild("locker.ts", file, String(HELD_MS), "0");
    try {
      await child.lines.next();
      let committed = 0;
      for (let sale = 0; sale < SALES; sale += 1) {
        await pause(systemClock, PAUSE_MS);
        const row = { drive_number: "9999078900000001", document_number: sale, reference: "x" };
        const end = await store.commit((tx) => tx.insertInto("lost_documents").values(row).execute()).catch(String);
        if (typeof end === "string") note(end);
        else committed += 1;
      }
      return [{ name: "store.locked", value: rounded(committed / SALES), unit: "of all commits" }];
    } finally {
      await child.kill();
      await store.close();
      rmSync(folder, { recursive: true });
    }
  },
};
