import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Journal } from "../../src/journal/journal.ts";
import { systemChance, systemClock } from "../../src/kernel/clock.ts";
import { openStore } from "../../src/store/database.ts";
import { ServerProcess } from "../../src/tools/demo/processes/server-process.ts";
import { checkpoint, entryContent, entryKey, saleFacts } from "../support/journal-entries.ts";
import { medianRow, type Part, type Row, rounded, withFloor } from "./row.ts";

const ENTRIES = 10_000;
/** So many sales were being made when the server died, each at a register of its own, and others were waiting. */
const SENDING = 20;
const QUEUED = 20;
/** The number of entries that share a commit. */
const AT_ONCE = 100;
const ROUNDS = 5;

/** The time from the start of the process to the moment at which it listens, compared with the time for an empty journal. */
export const restartBench: Part = {
  prefix: "restart.",
  async run(note): Promise<Row[]> {
    const folder = mkdtempSync(join(tmpdir(), "fiscal-bench-restart-"));
    try {
      const [full, empty] = [join(folder, "full"), join(folder, "empty")];
      await fill(full);
      note(`${ENTRIES} entries are written`);
      const rows: (Row & { ratio: number })[] = [];
      for (let round = 1; round <= ROUNDS; round += 1) {
        const emptyMs = await startMs(empty);
        const row = { name: "restart.10000-entries", value: rounded(await startMs(full)), unit: "ms" };
        rows.push(withFloor(row, emptyMs));
        note(`round ${round}: ${row.value} ms, with an empty journal ${rounded(emptyMs)} ms`);
      }
      return [medianRow(rows)];
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

async function startMs(dataDir: string): Promise<number> {
  const environment = { HOST: "127.0.0.1", PORT: "0" };
  const server = new ServerProcess({ dataDir, environment, clock: systemClock, detached: false });
  try {
    await server.start();
    return server.startedInMs;
  } finally {
    await server.kill();
  }
}

/** Sales in the state in which a killed server leaves them. */
async function fill(dataDir: string): Promise<void> {
  mkdirSync(dataDir);
  const store = await openStore({ kind: "sqlite", file: join(dataDir, "fiscal.sqlite") });
  try {
    await store.migrate();
    const journal = new Journal({ store, clock: systemClock });
    for (let number = 0; number < ENTRIES; number += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => write(journal, number + index)));
    }
  } finally {
    await store.close();
  }
}

async function write(journal: Journal, number: number): Promise<void> {
  const key = entryKey({ documentId: systemChance.uuid() });
  const content = entryContent({ key, twinHash: `twin-${number}`, register: `emulator:bench-${number % SENDING}` });
  if (number >= ENTRIES - QUEUED) {
    await journal.accept(content);
    return;
  }
  const sending = await journal.begin(content, checkpoint({ lastDocumentNumber: number }));
  if (number >= ENTRIES - QUEUED - SENDING) return;
  const entry = await journal.finish(sending, { kind: "done", facts: saleFacts({ documentNumber: number + 1 }) }, "register");
  await journal.storeAnswer(entry, ANSWER);
}

/** About the size of an answer with its receipt. */
const ANSWER = Buffer.alloc(12 * 1024, "a");
