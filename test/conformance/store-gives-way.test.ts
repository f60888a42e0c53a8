import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { pause, systemClock } from "../../src/kernel/clock.ts";
import { openStore, type Store } from "../../src/store/database.ts";
import { HeldFiles } from "../../src/store/held-files.ts";
import { temporaryFolder } from "../support/registers.ts";

/** How long an import on a slow machine holds the lock for each of its commits, and how many commits it makes at most. */
const COMMIT_MS = 150;
const COMMITS = 40;
/** The number of the server's commits beside it. Each stands for a till's answer. */
const SALES = 6;

/** A server's store and a command's on one file. */
async function both(): Promise<{ server: Store; command: Store }> {
  const place = { kind: "sqlite", file: join(await temporaryFolder(), "fiscal.sqlite") } as const;
  const server = await openStore(place, { held: new HeldFiles() });
  await server.migrate();
  const command = await openStore(place, { givesWay: true });
  onTestFinished(async () => {
    await command.close();
    await server.close();
  });
  return { server, command };
}

function write(store: Store, number: number, forMs = 0): Promise<void> {
  const row = { drive_number: "9999078900000001", document_number: number, reference: "x" };
  return store.commit(async (tx) => {
    await tx.insertInto("lost_documents").values(row).execute();
    if (forMs > 0) await pause(systemClock, forMs);
  });
}

it("a command that commits without a pause leaves the lock to the server between its commits", async () => {
  const { server, command } = await both();
  let over = false;
  const importing = (async () => {
    for (let nth = 0; nth < COMMITS && !over; nth += 1) await write(command, nth, COMMIT_MS);
  })();
  for (let sale = 0; sale < SALES; sale += 1) {
    await pause(systemClock, COMMIT_MS);
    await write(server, 1_000 + sale);
  }
  over = true;
  await importing;
  const { rows } = await server.read(async (db) => ({ rows: await db.selectFrom("lost_documents").select("document_number").execute() }));
  expect(rows.filter(({ document_number }) => document_number >= 1_000)).toHaveLength(SALES);
});

it("a server waits for a single commit of two seconds, and then makes its own", async () => {
  const { server, command } = await both();
  const long = write(command, 1, 2_000);
  await pause(systemClock, 100);
  await write(server, 2);
  await long;
});
