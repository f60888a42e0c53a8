import { sql } from "kysely";
import { expect, it } from "vitest";
import { deleteDoneOfDays, deleteOldDone } from "../../../src/accounts/shop/notification-queries.ts";
import { inPieces } from "../../../src/kernel/work/in-pieces.ts";
import { dropNotifications } from "../../../src/payments/notification-queries.ts";
import type { Tables } from "../../../src/store/tables.ts";
import { fillTable } from "../../support/hostile/fill-table.ts";
import { longestTurnWithin, TRIES } from "../../support/hostile/longest-turn.ts";
import { LoyaltyBench } from "../../support/loyalty-bench.ts";

const BOUND_MS = 50;
const TIME_LIMIT_MS = 240_000;
const DAY_MS = 86_400_000;
/** Old rows of a server that was busy, or that did not run for some days. */
const ROWS = 60_000;

const fill = ({ store }: LoyaltyBench, table: keyof Tables, values: Record<string, string>) => fillTable(store, table, ROWS, values);

async function left({ store }: LoyaltyBench, table: "loyalty_quotes" | "loyalty_codes"): Promise<number> {
  const row = await store.db
    .selectFrom(table)
    .select((of) => of.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

async function expectShort(make: () => Promise<unknown>, work: () => Promise<unknown>): Promise<void> {
  const tries: number[] = [];
  for (let nth = 0; nth < TRIES; nth += 1) {
    await make();
    const { cpuMs, allowedMs } = await longestTurnWithin(BOUND_MS, 1, work);
    if (cpuMs < allowedMs) return;
    tries.push(cpuMs);
  }
  expect(tries).toEqual([]);
}

it(
  `the longest stop of the event loop stays below ${BOUND_MS} ms while old quotes and codes of a busy day are deleted`,
  async () => {
    const bench = await LoyaltyBench.open();
    const oldMs = bench.clock.nowMs() - 2 * DAY_MS;
    const make = async () => {
      const trace = `'${"x".repeat(1_000)}'`;
      await fill(bench, "loyalty_quotes", { id: "'q' || n.value", made_at_ms: `${oldMs} + n.value`, trace });
      await fill(bench, "loyalty_codes", {
        id: "'c' || n.value",
        target: "'t' || n.value",
        sent_at_ms: `${oldMs} + n.value`,
        expires_at_ms: `${oldMs} + n.value`,
        code_sealed: "'sealed'",
      });
    };
    await expectShort(make, () => bench.upkeep.run());
    expect([await left(bench, "loyalty_quotes"), await left(bench, "loyalty_codes")]).toEqual([0, 0]);
    const endedMs = bench.clock.nowMs() - 1;
    await fill(bench, "loyalty_codes", {
      id: "'c' || n.value",
      sent_at_ms: `${endedMs}`,
      expires_at_ms: `${endedMs}`,
      code_sealed: "'sealed'",
    });
    await bench.codes.wipe();
    expect(await bench.store.db.selectFrom("loyalty_codes").select("id").where("ended_at_ms", "is", null).execute()).toEqual([]);
    expect(await left(bench, "loyalty_codes")).toBe(ROWS);
    await bench.store.close();
  },
  TIME_LIMIT_MS,
);

it(
  `the longest stop of the event loop stays below ${BOUND_MS} ms while old notifications of the platform and of banks are deleted`,
  async () => {
    const bench = await LoyaltyBench.open();
    const { store } = bench;
    const nowMs = bench.clock.nowMs();
    const oldMs = nowMs - 40 * DAY_MS;
    const done = { request_id: "'r' || n.value", received_at_ms: `${oldMs}`, done_at_ms: `${oldMs} + n.value`, id: "n.value" };
    const make = async () => {
      await sql`pragma foreign_keys = off`.execute(store.db);
      await fill(bench, "notifications", done);
      await fill(bench, "day_notifications", { ...done, day_ms: `${oldMs - (oldMs % DAY_MS)}` });
      await fill(bench, "bank_notifications", { id: "n.value", bank_id: "'b' || n.value", received_at_ms: `${oldMs} + n.value` });
    };
    let deleted = 0;
    await expectShort(make, async () => {
      deleted = await inPieces((limit) => store.commit((tx) => deleteOldDone(tx, nowMs, limit)));
      deleted += await inPieces((limit) => store.commit((tx) => deleteDoneOfDays(tx, nowMs, limit)));
      deleted += await inPieces((limit) => store.commit((tx) => dropNotifications(tx, nowMs, limit)));
    });
    expect(deleted).toBe(3 * ROWS);
    await store.close();
  },
  TIME_LIMIT_MS,
);
