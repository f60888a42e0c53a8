import { expect, it } from "vitest";
import { Journal } from "../../src/journal/journal.ts";
import { unregisteredSales } from "../../src/journal/unmatched-queries.ts";
import { checkpoint, entryContent, entryKey, saleFacts } from "../support/journal-entries.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

it("a sale counts as missing only for the installation that sends its sales here, also with two solutions in one account", async () => {
  const clock = new VirtualClock(Date.UTC(2026, 2, 2, 3, 15));
  const store = await openMemoryStore({ clock });
  const journal = new Journal({ store, clock });
  const here = entryKey({ documentId: "sale-1" });
  const begun = await journal.begin(entryContent({ key: here }), checkpoint());
  await journal.finish(begun, { kind: "done", facts: saleFacts() }, "register");
  const other = { ...here, appId: `${here.appId}-other` };
  const missing = { ...here, documentId: "sale-2" };
  for (const sales of [
    [here, missing, { ...other, documentId: "sale-3" }],
    [{ ...other, documentId: "sale-3" }, missing, here],
  ]) {
    expect(await store.read((db) => unregisteredSales(db, sales))).toEqual([missing]);
  }
  await store.close();
});
