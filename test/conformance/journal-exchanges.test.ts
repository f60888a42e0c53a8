import { expect, it, onTestFinished } from "vitest";
import { DeviceExchanges } from "../../src/journal/exchanges.ts";
import type { Store } from "../../src/store/database.ts";
import { keptLog } from "../support/http-server.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

it("attempts whose commit fails are written by the next commit", async () => {
  const store = await openMemoryStore();
  onTestFinished(() => store.close());
  let isFull = true;
  const commit: Store["commit"] = (...given) => (isFull ? Promise.reject(new Error("the disk is full")) : store.commit(...given));
  const read: Store["read"] = (work) => store.read(work);
  const exchanges = new DeviceExchanges({ store: { commit, read }, clock: new VirtualClock(0), log: keptLog().log });
  const end = exchanges.begin("emulator:one", { id: 1, attempt: 1 });
  exchanges.note("emulator:one", { command: "sale", atMs: 1, tookMs: 1, code: "0" });
  end();
  await exchanges.close();
  isFull = false;
  await exchanges.close();
  const rows = await store.read((db) => db.selectFrom("device_exchanges").selectAll().execute());
  expect(rows).toHaveLength(1);
});
