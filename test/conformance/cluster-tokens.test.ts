import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { countStart } from "../../src/agents/identity.ts";
import { Membership } from "../../src/cluster/membership.ts";
import { systemChance, systemClock } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";
import type { Store } from "../../src/store/database.ts";
import { Leases } from "../../src/store/lease.ts";
import { DATABASE_KINDS, describeDatabase, type TestDatabase } from "../support/databases.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const LEASE_MS = 3_000;
const NAME = "register agent:shop";
/** The tables of a dump that decide about tokens. */
const TABLES = ["cluster_state", "leases", "agent_server"];
const NOBODY = { renewed() {}, takenOver() {}, fenced() {}, forwarded() {} };

for (const kind of DATABASE_KINDS.filter((one) => one.kind === "postgres")) {
  describeDatabase("tokens, of which an agent keeps the highest", kind, () => {
    let database: TestDatabase;
    let store: Store;
    beforeAll(async () => {
      database = await kind.make();
      store = await database.open();
      await store.migrate();
    });
    afterAll(() => database.drop());
    beforeEach(async () => {
      for (const table of ["cluster_processes", "agents", ...TABLES]) await sql.raw(`delete from ${table}`).execute(store.db);
    });

    /** A process that has joined its cluster and may take leases. */
    async function process() {
      const clock = new VirtualClock(0);
      const self = { id: systemChance.uuid(), url: `http://${systemChance.uuid()}:1`, version: "1", keyCheck: "key", sessionPid: 0 };
      const membership = new Membership({ store, clock, log: silentLog, leaseMs: LEASE_MS, self, observe: NOBODY });
      await membership.join();
      await clock.advance(LEASE_MS);
      await membership.renewNow();
      await membership.look();
      const leases = new Leases({ store, clock, chance: systemChance, leaseMs: LEASE_MS, keeper: membership.keeperOf("register") });
      return {
        membership,
        async takes(): Promise<number> {
          const lease = await leases.take(NAME);
          if (lease === undefined) throw new Error("another process holds the lease");
          await leases.release(lease);
          return lease.token;
        },
      };
    }

    const start = (clock = systemClock) => countStart({ store, clock, chance: systemChance });

    async function run(...texts: string[]): Promise<void> {
      for (const text of texts) await sql.raw(text).execute(store.db);
    }

    it("grow each time that one dump is restored", async () => {
      await start();
      await (await process()).takes();
      await run(...TABLES.map((table) => `create table dump_of_${table} as table ${table}`));
      let highest = 0;
      for (const restored of ["first", "second"]) {
        await run(...TABLES.flatMap((table) => [`delete from ${table}`, `insert into ${table} select * from dump_of_${table}`]));
        // For the present server the dump comes from another server.
        await run(`update cluster_state set system_id = 'before the ${restored} restore'`);
        const after = await process();
        for (let change = 0; change < 3; change += 1) {
          const token = await after.takes();
          expect(token).toBeGreaterThan(highest);
          highest = token;
        }
      }
    });

    it("begin anew with no agent connected when the database is another one", async () => {
      await start();
      await process();
      await run(
        `insert into agents (name, agent_id, app_id, account_id, public_key, host, version, enrolled_at_ms, epoch, top_epoch, connected, process)
         values ('shop', 'shop', 'app', 'account', 'key', 'host', '1', 1, 1, 1, 1, 'a process of before')`,
        "update cluster_state set system_id = 'another'",
      );
      await process();
      const { rows } = await sql`select connected, process, since_ms > 1000000 as now from agents`.execute(store.db);
      expect(rows).toEqual([{ connected: 0, process: null, now: true }]);
    });

    it("grow when the database is another one although the clock of its server went back", async () => {
      await start();
      const before = await (await process()).takes();
      const farAhead = before + 2 ** 40;
      await run(`update agent_server set start_number = ${farAhead}`, "update cluster_state set system_id = 'another'");
      expect(await (await process()).takes()).toBeGreaterThan(farAhead + 2 ** 19);
    });

    it("grow from a server that has the database alone to several, and back, also when its clock went back", async () => {
      const { startNumber } = await start();
      const token = await (await process()).takes();
      expect(token).toBeGreaterThan(startNumber);
      const alone = await start(new VirtualClock(0));
      expect(alone.startNumber).toBeGreaterThan(token);
      expect(await (await process()).takes()).toBeGreaterThan(alone.startNumber);
    });
  });
}
