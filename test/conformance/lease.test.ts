import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { systemChance } from "../../src/kernel/clock.ts";
import type { Store } from "../../src/store/database.ts";
import { Leases } from "../../src/store/lease.ts";
import { describeDatabase, type TestDatabase, TRIED_DATABASES } from "../support/databases.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const LEASE_MS = 10_000;

for (const kind of TRIED_DATABASES) {
  describeDatabase("a lease", kind, () => {
    let database: TestDatabase;
    let store: Store;
    let name: string;
    let count = 0;
    beforeAll(async () => {
      database = await kind.make();
      store = await database.open();
      await store.migrate();
    });
    afterAll(() => database.drop());
    beforeEach(() => {
      count += 1;
      name = `thing-${count}`;
    });

    /** A process whose clocks are not related to those of another one. */
    const process = (startMs = 0) => {
      const clock = new VirtualClock(startMs);
      return { clock, leases: new Leases({ store, clock, chance: systemChance, leaseMs: LEASE_MS }) };
    };

    it("is held by one process, and its token grows with each holder", async () => {
      const [one, two] = [process(), process(1_000_000)];
      const first = await one.leases.take(name);
      expect(first).toMatchObject({ token: 1 });
      expect(await two.leases.take(name)).toBeUndefined();
      if (first !== undefined) await one.leases.release(first);
      expect(await two.leases.take(name)).toMatchObject({ token: 2 });
      expect(await one.leases.take(name)).toBeUndefined();
    });

    it("is taken from a process whose counter stands still for a lease, on the watcher's own clock", async () => {
      const [dead, watcher] = [process(), process(5)];
      await dead.leases.take(name);
      expect(await watcher.leases.take(name)).toBeUndefined();
      await watcher.clock.advance(LEASE_MS - 1);
      expect(await watcher.leases.take(name)).toBeUndefined();
      await watcher.clock.advance(1);
      expect(await watcher.leases.take(name)).toMatchObject({ token: 2 });
    });

    it("stays with a process that renews it, however long another watches", async () => {
      const [holder, watcher] = [process(), process()];
      let lease = await holder.leases.take(name);
      for (let round = 0; round < 4; round += 1) {
        expect(await watcher.leases.take(name)).toBeUndefined();
        if (lease !== undefined) lease = await holder.leases.renew(lease);
        await watcher.clock.advance(LEASE_MS - 1);
      }
      expect(lease).toMatchObject({ token: 1 });
    });

    it("lets a holder that wakes too late change nothing", async () => {
      const [slept, other] = [process(), process()];
      const old = await slept.leases.take(name);
      await other.leases.take(name);
      await other.clock.advance(LEASE_MS);
      const taken = await other.leases.take(name);
      expect(taken).toMatchObject({ token: 2 });
      if (old === undefined || taken === undefined) throw new Error("no lease");
      expect(await store.commit((tx) => slept.leases.holds(tx, old))).toBe(false);
      expect(await slept.leases.renew(old)).toBeUndefined();
      await slept.leases.release(old);
      expect(await store.commit((tx) => other.leases.holds(tx, taken))).toBe(true);
    });

    it("tells its holder to stop at two thirds, before anybody else may begin", async () => {
      const { clock, leases } = process();
      const lease = await leases.take(name);
      await clock.advance(6_600);
      expect(lease?.isSafe()).toBe(true);
      await clock.advance(100);
      expect(lease?.isSafe()).toBe(false);
    });

    it("does not mind a wall clock that is set", async () => {
      const [holder, watcher] = [process(1_000), process(1_000)];
      await holder.leases.take(name);
      expect(await watcher.leases.take(name)).toBeUndefined();
      watcher.clock.jumpTo(1_000_000_000);
      expect(await watcher.leases.take(name)).toBeUndefined();
    });

    it("is taken once when several processes take it at the same moment", async () => {
      const processes = Array.from({ length: 5 }, () => process());
      const taken = await Promise.all(processes.map(({ leases }) => leases.take(name)));
      expect(taken.filter((lease) => lease !== undefined)).toHaveLength(1);
    });

    it("is forgotten with what it was about, and begins anew", async () => {
      const { leases } = process();
      const lease = await leases.take(name);
      if (lease !== undefined) await leases.release(lease);
      await store.commit((tx) => leases.forgetIn(tx, name));
      expect(await leases.take(name)).toMatchObject({ token: 1 });
    });
  });
}
