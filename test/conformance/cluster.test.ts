import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { DeviceOwners } from "../../src/cluster/device-owners.ts";
import { Fence } from "../../src/cluster/fence.ts";
import { Holdings } from "../../src/cluster/holdings.ts";
import { Membership } from "../../src/cluster/membership.ts";
import type { Reading } from "../../src/cluster/queries.ts";
import { Tasks } from "../../src/cluster/tasks.ts";
import { systemChance } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { DeviceClaims } from "../../src/registers/device-claims.ts";
import { openStore, type Store } from "../../src/store/database.ts";
import { Leases } from "../../src/store/lease.ts";
import { shadowed } from "../simulation/cluster/shared-database.ts";
import { DATABASE_KINDS, describeDatabase, type TestDatabase } from "../support/databases.ts";
import { IDENTITY } from "../support/journal-entries.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const LEASE_MS = 3_000;
const REGISTER = "shtrih-m+tcp://10.0.0.7:7778";
const NOBODY = { renewed() {}, takenOver() {}, fenced() {}, forwarded() {} };
/** No connection of the server has this number. */
const NO_SESSION = 0;

for (const kind of DATABASE_KINDS.filter((one) => one.kind === "postgres")) {
  describeDatabase("processes of a cluster", kind, () => {
    let database: TestDatabase;
    let store: Store;
    beforeAll(async () => {
      database = await kind.make();
      await (await database.open()).migrate();
      store = await openStore(shadowed(database.options));
    });
    afterAll(async () => {
      await store.close();
      await database.drop();
    });
    beforeEach(async () => {
      for (const table of ["cluster_processes", "cluster_state", "leases", "agents", "agent_server"])
        await sql.raw(`delete from ${table}`).execute(store.db);
    });

    /** A process whose timers do not run: each test says when the process renews and reads. */
    async function process(
      url: string,
      { startMs = 0, sessionPid = NO_SESSION, keyCheck = "key", leaseMs = LEASE_MS, idle = async () => {} } = {},
    ) {
      const clock = new VirtualClock(startMs);
      const self = { id: systemChance.uuid(), url, version: "1", keyCheck, sessionPid };
      const membership = new Membership({ store, clock, log: silentLog, leaseMs, self, observe: NOBODY });
      const leasesOf = (of: string) => new Leases({ store, clock, chance: systemChance, leaseMs, keeper: membership.keeperOf(of) });
      const released: string[] = [];
      const release = async (register: string) => void released.push(register);
      const preferred = (register: string, { agents }: Reading) => agents[register.replace("agent:", "")];
      const parts = { membership, leases: leasesOf("register"), log: silentLog, observe: NOBODY, idle, release, preferred };
      const holdings = new Holdings(parts);
      const fence = new Fence({ store, membership, holdings, observe: NOBODY });
      const tasks = new Tasks(membership, leasesOf("task"));
      const devices = new DeviceOwners(store, membership, leasesOf("device"));
      const claims = new DeviceClaims({ clock, note() {}, owners: devices });
      await membership.join();
      const holds = () => store.commit((tx) => fence.holds(tx, REGISTER));
      return { clock, membership, holdings, fence, tasks, devices, claims, released, holds };
    }
    type Process = Awaited<ReturnType<typeof process>>;

    /** The watcher sees that the counters of all others do not change for a lease. */
    async function outlive(watcher: Process): Promise<void> {
      await watcher.membership.look();
      await watcher.clock.advance(LEASE_MS);
      await watcher.membership.renewNow();
      await watcher.membership.look();
    }

    it("have a register at the first that asks, and every other knows where it is", async () => {
      const [one, two] = [await process("http://a:1"), await process("http://b:1", { startMs: 7_000_000 })];
      expect(await one.holdings.enter(REGISTER)).toBe(true);
      await two.membership.readAnew();
      expect(await two.holdings.enter(REGISTER)).toBe(false);
      expect(two.holdings.place(REGISTER)).toMatchObject({ kind: "there", process: { id: one.membership.id } });
      expect(await one.holds()).toBe(true);
      expect(await two.holds()).toBe(false);
    });

    it("give a register away with a token that grows, after its link is closed", async () => {
      const [one, two] = [await process("http://a:1"), await process("http://b:1")];
      await one.holdings.enter(REGISTER);
      const first = one.fence.sending(REGISTER);
      await one.holdings.giveAway(REGISTER);
      expect(one.released).toEqual([REGISTER]);
      expect(first.maySend()).toBe(false);
      await two.membership.readAnew();
      expect(await two.holdings.enter(REGISTER)).toBe(true);
      expect(two.fence.sending(REGISTER).token).toBeGreaterThan(first.token);
      expect(await one.holds()).toBe(false);
    });

    it("take over from a process whose counter stands still for a lease, and not before", async () => {
      const [dead, watcher] = [await process("http://a:1"), await process("http://b:1", { startMs: 5 })];
      await dead.holdings.enter(REGISTER);
      await watcher.membership.look();
      await watcher.clock.advance(LEASE_MS - 1);
      await watcher.membership.renewNow();
      await watcher.membership.look();
      expect(await watcher.holdings.enter(REGISTER)).toBe(false);
      await watcher.clock.advance(1);
      await watcher.membership.look();
      expect(await watcher.holdings.enter(REGISTER)).toBe(true);
    });

    it("keep their registers as long as they renew, however long another watches", async () => {
      const [holder, watcher] = [await process("http://a:1"), await process("http://b:1")];
      await holder.holdings.enter(REGISTER);
      for (let round = 0; round < 4; round += 1) {
        await watcher.membership.look();
        await watcher.clock.advance(LEASE_MS - 1);
        await watcher.membership.renewNow();
        await holder.membership.renewNow();
      }
      await watcher.membership.look();
      expect(await watcher.holdings.enter(REGISTER)).toBe(false);
    });

    it("a holder stops to send at two thirds of a lease from before its last renewal, by its own clock alone", async () => {
      const holder = await process("http://a:1");
      await holder.holdings.enter(REGISTER);
      const right = holder.fence.sending(REGISTER);
      await holder.clock.advance((LEASE_MS * 2) / 3 - 1);
      expect(right.maySend()).toBe(true);
      await holder.clock.advance(1);
      expect(right.maySend()).toBe(false);
      await holder.membership.renewNow();
      expect(right.maySend()).toBe(true);
    });

    it.each(["a link", "a document"])(
      "does work anew in which %s was refused, also when the counter was raised meanwhile",
      async (what) => {
        const holder = await process("http://a:1");
        await holder.holdings.enter(REGISTER);
        const [stands, right, mayRegister] = [
          holder.fence.standing(REGISTER),
          holder.fence.sending(REGISTER),
          holder.fence.permission(REGISTER),
        ];
        await holder.clock.advance((LEASE_MS * 2) / 3 - 1);
        expect(stands?.()).toBe(true);
        await holder.clock.advance(1);
        expect(what === "a link" ? right.maySend() : await mayRegister()).toBe(false);
        await holder.membership.renewNow();
        expect(right.maySend()).toBe(true);
        expect(stands?.()).toBe(false);
        expect(holder.fence.standing(REGISTER)?.()).toBe(true);
      },
    );

    it("does work anew for which the agent of its register has moved to another process", async () => {
      const atWork = Promise.withResolvers<void>();
      const [holder, other] = [await process("http://a:1", { idle: () => atWork.promise }), await process("http://b:1")];
      await connectAgent(store, "shop", holder.membership.id);
      await holder.membership.readAnew();
      await holder.holdings.enter("agent:shop");
      const stands = holder.fence.standing("agent:shop");
      expect(stands?.()).toBe(true);
      await connectAgent(store, "shop", other.membership.id);
      await holder.membership.readAnew();
      expect(stands?.()).toBe(false);
      atWork.resolve();
      await holder.holdings.close();
    });

    it("count the agents of a lost process as away", async () => {
      const [dead, watcher] = [await process("http://a:1"), await process("http://b:1")];
      await connectAgent(store, "shop", dead.membership.id);
      await outlive(watcher);
      expect(watcher.membership.reading.agents).toEqual({});
      const { rows } = await sql`select connected, process, since_ms > 1000000 as now from agents`.execute(store.db);
      expect(rows).toEqual([{ connected: 0, process: null, now: true }]);
    });

    it("a holder that wakes after a takeover sends nothing under its old token, also when it has the register again", async () => {
      const [slept, other] = [await process("http://a:1"), await process("http://b:1")];
      await slept.holdings.enter(REGISTER);
      const [right, mayRegister] = [slept.fence.sending(REGISTER), slept.fence.permission(REGISTER)];
      await outlive(other);
      expect(await other.holdings.enter(REGISTER)).toBe(true);
      await slept.clock.advance(LEASE_MS * 2);
      expect(right.maySend()).toBe(false);
      expect(await slept.holdings.enter(REGISTER)).toBe(false);
      await other.holdings.giveAway(REGISTER);
      await slept.membership.readAnew();
      expect(await slept.holdings.enter(REGISTER)).toBe(true);
      expect(slept.fence.sending(REGISTER).maySend()).toBe(true);
      expect(right.maySend()).toBe(false);
      expect(await mayRegister()).toBe(false);
    });

    it("a holder whose clock stood still with its machine records and registers nothing after a takeover", async () => {
      const [frozen, other] = [await process("http://a:1"), await process("http://b:1")];
      await frozen.holdings.enter(REGISTER);
      const mayRegister = frozen.fence.permission(REGISTER);
      expect(await mayRegister()).toBe(true);
      await outlive(other);
      await other.holdings.enter(REGISTER);
      expect(frozen.membership.isSafe()).toBe(true);
      expect(await frozen.holds()).toBe(false);
      expect(await mayRegister()).toBe(false);
    });

    it("wait with a takeover until an intention that is being recorded is committed", async () => {
      const [holder, watcher] = [await process("http://a:1"), await process("http://b:1")];
      await holder.holdings.enter(REGISTER);
      const order: string[] = [];
      const checked = Promise.withResolvers<void>();
      const taken = Promise.withResolvers<void>();
      const recording = store.commit(async (tx) => {
        expect(await holder.fence.holds(tx, REGISTER)).toBe(true);
        checked.resolve();
        // The takeover waits in the database before the intention is committed.
        await waitingForLock(store);
        order.push("recorded");
      });
      await checked.promise;
      const takeover = outlive(watcher).then(() => {
        order.push("taken");
        taken.resolve();
      });
      await Promise.all([recording, takeover, taken.promise]);
      expect(order).toEqual(["recorded", "taken"]);
    });

    it("raise their tokens above all earlier ones when a dump was restored at the same server", async () => {
      const one = await process("http://a:1");
      await one.holdings.enter(REGISTER);
      const before = one.fence.sending(REGISTER);
      await sql.raw("create table restored (like leases including all)").execute(store.db);
      await sql.raw("drop table leases").execute(store.db);
      await sql.raw("alter table restored rename to leases").execute(store.db);
      await one.membership.renewNow();
      expect(before.maySend()).toBe(false);
      await one.clock.advance(LEASE_MS);
      await one.membership.renewNow();
      await one.membership.look();
      expect(await one.holdings.enter(REGISTER)).toBe(true);
      expect(one.fence.sending(REGISTER).token).toBeGreaterThan(before.token);
    });

    it("start anew at their address while the database still has the connection of the start that was cut off", async () => {
      const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity where pid = pg_backend_pid()`.execute(store.db);
      await sql`set application_name = 'fiscal 1 host since'`.execute(store.db);
      const sessionPid = rows[0]?.pid ?? NO_SESSION;
      await process("http://a:1", { sessionPid });
      await expect(process("http://a:1")).rejects.toThrow("an address of its own");
      await outlive(await process("http://b:1"));
      await process("http://a:1");
    });

    it("lose all leases when the database is another one, and take none before a lease has passed", async () => {
      const [one, two] = [await process("http://a:1"), await process("http://b:1")];
      await one.holdings.enter(REGISTER);
      const right = one.fence.sending(REGISTER);
      await onTimeline(store, 99);
      onTestFinished(() => onTimeline(store, undefined));
      await one.membership.renewNow();
      expect(right.maySend()).toBe(false);
      expect(await one.holdings.enter(REGISTER)).toBe(false);
      await two.membership.renewNow();
      await two.membership.look();
      expect(await two.holdings.enter(REGISTER)).toBe(false);
      const late = await process("http://c:1");
      expect(await late.holdings.enter(REGISTER)).toBe(false);
      await two.clock.advance(LEASE_MS);
      await two.membership.renewNow();
      await two.membership.look();
      expect(await two.holdings.enter(REGISTER)).toBe(true);
      expect(two.fence.sending(REGISTER).token).toBeGreaterThan(99 * 2 ** 32);
    });

    it("record nothing in a database that was switched since the last renewal, although it names them as holders", async () => {
      const holder = await process("http://a:1");
      await holder.holdings.enter(REGISTER);
      const mayRegister = holder.fence.permission(REGISTER);
      expect([await holder.holds(), await mayRegister()]).toEqual([true, true]);
      await onTimeline(store, 98);
      onTestFinished(() => onTimeline(store, undefined));
      expect([await holder.holds(), await mayRegister()]).toEqual([false, false]);
    });

    it("go on with higher tokens in a restored dump, whose timeline begins at 1 again", async () => {
      const before = await process("http://a:1");
      await before.holdings.enter(REGISTER);
      const { token } = before.fence.sending(REGISTER);
      await sql`update cluster_state set system_id = 'another server', generation = generation + 40`.execute(store.db);
      const after = await process("http://b:1");
      await after.clock.advance(LEASE_MS);
      await after.membership.renewNow();
      await after.membership.look();
      expect(await after.holdings.enter(REGISTER)).toBe(true);
      expect(after.fence.sending(REGISTER).token).toBeGreaterThan(token + 40 * 2 ** 32);
    });

    it("do the work of the cluster at one process, and at another after the first has ended", async () => {
      const [one, two] = [await process("http://a:1"), await process("http://b:1")];
      expect(await one.tasks.isMine("housekeeping")).toBe(true);
      await two.membership.readAnew();
      expect(await two.tasks.isMine("housekeeping")).toBe(false);
      await one.tasks.giveAway();
      await two.membership.readAnew();
      expect(await two.tasks.isMine("housekeeping")).toBe(true);
    });

    it("have the register of an agent where the agent is connected, and follow it", async () => {
      const [one, two] = [await process("http://a:1"), await process("http://b:1")];
      await connectAgent(store, "front", one.membership.id);
      await two.membership.readAnew();
      expect(await two.holdings.enter("agent:front")).toBe(false);
      expect(two.holdings.place("agent:front")).toMatchObject({ kind: "there", process: { id: one.membership.id } });
      await one.membership.readAnew();
      expect(await one.holdings.enter("agent:front")).toBe(true);
      await connectAgent(store, "front", two.membership.id);
      await one.membership.readAnew();
      await one.holdings.giveAway("agent:front");
      expect(one.holdings.place("agent:front")).toMatchObject({ kind: "there", process: { id: two.membership.id } });
      await two.membership.readAnew();
      expect(await two.holdings.enter("agent:front")).toBe(true);
    });

    it("use one device behind two addresses at one process, until its address is not used any more", async () => {
      const [one, two] = [await process("http://a:1"), await process("http://b:1")];
      const lane = (address: string, { clock }: Process) => {
        let used = clock.monotonicMs();
        const claimant = { address, drivenElsewhere: false, usedAtMs: () => used };
        const use = () => {
          used = clock.monotonicMs();
        };
        return { claimant, use };
      };
      const [old, moved] = [lane("shtrih-m+tcp://10.0.0.7:7778", one), lane("shtrih-m+tcp://10.0.0.8:7778", two)];
      expect(await one.claims.claim(old.claimant, IDENTITY)).toBeUndefined();
      expect(await two.claims.claim(moved.claimant, IDENTITY)).toContain("другой сервер");
      const wanted = async () => one.devices.wantedElsewhere(await one.membership.readAnew());
      const [device = ""] = await wanted();
      await one.claims.letGo(device);
      expect(await two.claims.claim(moved.claimant, IDENTITY)).toContain("другой сервер");
      await one.clock.advance(180_000);
      await one.claims.letGo(device);
      expect(await two.claims.claim(moved.claimant, IDENTITY)).toBeUndefined();
      expect(await wanted()).toEqual([]);
      await two.membership.renewNow();
      old.use();
      expect(await one.claims.claim(old.claimant, IDENTITY)).toContain("другой сервер");
    });

    it("bring a register to the process that a person wants, and away from a process that leaves", async () => {
      const [one, two] = [await process("http://a:1"), await process("http://b:1")];
      await one.holdings.enter(REGISTER);
      await sql`update leases set wanted = ${two.membership.id}`.execute(store.db);
      await one.membership.readAnew();
      await one.holdings.giveAway(REGISTER);
      await two.membership.readAnew();
      await two.holdings.enter(REGISTER);
      expect(two.holdings.registers).toEqual([REGISTER]);
      await two.membership.leave();
      await two.holdings.giveAllAway();
      expect(two.holdings.place(REGISTER)).toMatchObject({ kind: "there", process: { id: one.membership.id } });
      await one.membership.readAnew();
      expect(await one.holdings.enter(REGISTER)).toBe(true);
    });
  });
}

/** Stores that an agent is connected, as the hub of a process does. */
async function connectAgent(store: Store, name: string, process: string): Promise<void> {
  await sql`
    insert into agents (name, agent_id, app_id, account_id, public_key, host, version, enrolled_at_ms, epoch, top_epoch, connected, process)
    values (${name}, ${name}, 'app', 'account', 'key', 'host', '1', 1, 1, 1, 1, ${process})
    on conflict (name) do update set process = excluded.process`.execute(store.db);
}

/** Makes the server state another timeline, as after a switch to a standby. Undefined: its own timeline again. */
async function onTimeline(store: Store, timeline: number | undefined): Promise<void> {
  const file = (timeline ?? 0).toString(16).padStart(8, "0").padEnd(24, "0");
  const { rows } = await sql<{ name: string }>`select current_schema() || '.pg_walfile_name(pg_lsn)' as name`.execute(store.db);
  const name = rows[0]?.name;
  await sql.raw(`drop function if exists ${name}`).execute(store.db);
  if (timeline === undefined) return;
  await sql.raw(`create function ${name} returns text language sql as $$ select '${file}' $$`).execute(store.db);
}

/** Resolves when some statement of the server waits for a row that this transaction has locked. */
async function waitingForLock(store: Store): Promise<void> {
  for (;;) {
    const { rows } = await sql`
      select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%leases%' and datname = current_database()`.execute(
      store.db,
    );
    if (rows.length > 0) return;
  }
}
