import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { InstallationKey, InstallationState } from "../../../src/accounts/installation.ts";
import { deleteDoneOfDays, selectInstallationsWaiting } from "../../../src/accounts/shop/notification-queries.ts";

import { nextTurn } from "../../../src/kernel/clock.ts";
import { inPieces } from "../../../src/kernel/work/in-pieces.ts";
import type { Store } from "../../../src/store/database.ts";
import { fillTable } from "../../support/hostile/fill-table.ts";
import { longestTurnWithin, TRIES } from "../../support/hostile/longest-turn.ts";
import { openMemoryStore } from "../../support/memory-store.ts";

const BOUND_MS = 50;
const TIME_LIMIT_MS = 240_000;
const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 10, 29, 9);
/** Notifications of many accounts. A statement over all of them takes several times the bound. */
const ROWS = 200_000;
const ACCOUNTS = 1_000;

let store: Store;
beforeAll(async () => {
  store = await openMemoryStore();
  await fillTable(store, "installations", ACCOUNTS, { account_id: "printf('%04d', n.value - 1)", state: "'active'" });
  await fillTable(store, "day_notifications", ROWS, {
    id: "n.value",
    account_id: `printf('%04d', n.value % ${ACCOUNTS})`,
    request_id: "'request-' || n.value",
    day_ms: `${NOW_MS - (NOW_MS % DAY_MS)}`,
    received_at_ms: `${NOW_MS} - n.value`,
    done_at_ms: `${NOW_MS} - n.value`,
    events: "'[]'",
  });
}, TIME_LIMIT_MS);
afterAll(() => store.close());

describe(`the longest stop of the event loop stays below ${BOUND_MS} ms among very many notifications of the platform`, () => {
  it("while old ones are looked for and only recent ones are there", { timeout: TIME_LIMIT_MS }, async () => {
    const old = () => inPieces((limit) => store.commit((tx) => deleteDoneOfDays(tx, NOW_MS - 4 * DAY_MS, limit)));
    const { cpuMs, allowedMs, result } = await longestTurnWithin(BOUND_MS, TRIES, old);
    expect(result).toBe(0);
    expect(cpuMs).toBeLessThan(allowedMs);
  });

  it("while the installations are looked for whose notifications wait", { timeout: TIME_LIMIT_MS }, async () => {
    await store.commit((tx) => tx.updateTable("day_notifications").set({ done_at_ms: null }).execute());
    for (const state of ["suspended", "active"] as const satisfies readonly InstallationState[]) {
      await store.commit((tx) => tx.updateTable("installations").set({ state }).execute());
      const { cpuMs, allowedMs, result } = await longestTurnWithin(BOUND_MS, TRIES, allWaiting);
      expect([state, result.length]).toEqual([state, state === "active" ? ACCOUNTS : 0]);
      expect(cpuMs).toBeLessThan(allowedMs);
    }
  });
});

/** Looks at all waiting notifications, as the server does every two seconds. */
async function allWaiting(): Promise<InstallationKey[]> {
  const found: InstallationKey[] = [];
  let after: InstallationKey | undefined;
  for (;;) {
    const { active, last } = await store.read((db) => selectInstallationsWaiting(db, after));
    found.push(...active);
    if (last === undefined) return found;
    after = last;
    await nextTurn();
  }
}
