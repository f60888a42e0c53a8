import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { Holdings } from "../../src/cluster/holdings.ts";
import { Membership } from "../../src/cluster/membership.ts";
import { nextTurn, systemChance } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";
import type { Store } from "../../src/store/database.ts";
import { Leases } from "../../src/store/lease.ts";
import { DATABASE_KINDS, describeDatabase, type TestDatabase } from "../support/databases.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const LEASE_MS = 3_000;
const NOBODY = { renewed() {}, takenOver() {}, fenced() {}, forwarded() {} };
const REGISTERS = Array.from({ length: 20 }, (_, number) => `shtrih-m+tcp://10.0.0.${number}:7778`);

for (const kind of DATABASE_KINDS.filter((one) => one.kind === "postgres")) {
  describeDatabase("a process that gives its registers away", kind, () => {
    let database: TestDatabase;
    let store: Store;
    beforeAll(async () => {
      database = await kind.make();
      store = await database.open();
      await store.migrate();
    });
    afterAll(async () => {
      await store.close();
      await database.drop();
    });
    beforeEach(async () => {
      for (const table of ["cluster_processes", "leases"]) await sql.raw(`delete from ${table}`).execute(store.db);
    });

    /** A process whose links close when `mayClose` resolves. Its timers do not run. */
    async function process(url: string) {
      const clock = new VirtualClock(0);
      const self = { id: systemChance.uuid(), url, version: "1", keyCheck: "key", sessionPid: 0 };
      const membership = new Membership({ store, clock, log: silentLog, leaseMs: LEASE_MS, self, observe: NOBODY });
      const leases = new Leases({ store, clock, chance: systemChance, leaseMs: LEASE_MS, keeper: membership.keeperOf("register") });
      const mayClose = Promise.withResolvers<void>();
      const released: string[] = [];
      const release = async (register: string) => {
        released.push(register);
        await mayClose.promise;
      };
      const holdings = new Holdings({ membership, leases, log: silentLog, observe: NOBODY, idle: async () => {}, release });
      await membership.join();
      return { membership, holdings, released, mayClose };
    }

    it.each(["drained", "leaving"])("closes only a few of them at the same time when %s", async (how) => {
      const giver = await process("http://a:1");
      await process("http://b:1");
      const { membership, holdings, released } = giver;
      for (const register of REGISTERS) expect(await holdings.enter(register)).toBe(true);
      if (how === "leaving") await membership.leave();
      else await sql`update cluster_processes set draining = 1 where id = ${membership.id}`.execute(store.db);
      await membership.readAnew();
      const gone = holdings.giveAllAway();
      for (let turn = 0; turn < 100; turn += 1) await nextTurn();
      expect(released).toHaveLength(8);
      // The registers that still wait take no new work here either.
      expect(REGISTERS.filter((register) => holdings.of(register) !== undefined)).toEqual([]);
      giver.mayClose.resolve();
      await gone;
      expect(released.toSorted()).toEqual(REGISTERS.toSorted());
      expect(holdings.registers).toEqual([]);
    });
  });
}
