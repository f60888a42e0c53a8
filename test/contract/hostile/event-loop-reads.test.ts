import { type SqlBool, sql } from "kysely";
import { expect, it } from "vitest";
import { openStore, type Store } from "../../../src/store/database.ts";
import { longestTurnWithin, TRIES } from "../../support/hostile/longest-turn.ts";

const BOUND_MS = 50;
/** One of these statements takes some milliseconds, all of them take hundreds. */
const STATEMENTS = 150;
const NUMBERS = 20_000;

const counted = sql<SqlBool>`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${NUMBERS}) select count(*) from n`;

const count = (store: Store) => store.read((db) => counted.execute(db));
const times = Array.from({ length: STATEMENTS }, (_, number) => number);

it.each<[string, (store: Store) => Promise<unknown>]>([
  [
    "reads follow each other",
    async (store) => {
      for (const _ of times) await count(store);
    },
  ],
  [
    "statements of one read follow each other",
    (store) =>
      store.read(async (db) => {
        for (const _ of times) await counted.execute(db);
      }),
  ],
  ["many callers read at the same time", (store) => Promise.all(times.map(() => count(store)))],
  [
    "many callers change something at the same time, each alone",
    (store) => Promise.all(times.map(() => store.db.transaction().execute((tx) => counted.execute(tx)))),
  ],
])(`the longest stop of the event loop stays below ${BOUND_MS} ms while %s in SQLite`, async (_what, work) => {
  const store = await openStore({ kind: "sqlite", file: ":memory:" });
  const { cpuMs, allowedMs } = await longestTurnWithin(BOUND_MS, TRIES, () => work(store));
  expect(cpuMs).toBeLessThan(allowedMs);
  await store.close();
});
