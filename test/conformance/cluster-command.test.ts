import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { clusterCommand } from "../../src/cli/cluster.ts";
import { runCommand } from "../../src/cli/run.ts";
import { agentPlaceOf } from "../../src/cluster/agent-places.ts";
import { Holdings } from "../../src/cluster/holdings.ts";
import { Membership } from "../../src/cluster/membership.ts";
import { ClusterOverview } from "../../src/cluster/overview.ts";
import { systemChance, systemClock } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";
import type { Store } from "../../src/store/database.ts";
import { Leases } from "../../src/store/lease.ts";
import { DATABASE_KINDS, describeDatabase, type TestDatabase } from "../support/databases.ts";
import { EXTENT } from "../support/extent.ts";

const LEASE_MS = 10_000;
const [FRONT, BACK] = ["shtrih-m+tcp://10.0.0.7:7778", "shtrih-m+tcp://10.0.0.8:7778"];
const NOBODY = { renewed() {}, takenOver() {}, fenced() {}, forwarded() {} };

for (const kind of DATABASE_KINDS.filter((one) => one.kind === "postgres")) {
  describeDatabase("the command `cluster`", kind, () => {
    let database: TestDatabase;
    let store: Store;
    const running: Membership[] = [];
    beforeAll(async () => {
      database = await kind.make();
      store = await database.open();
      await store.migrate();
    });
    afterAll(async () => {
      for (const membership of running) await membership.close();
      await database.drop();
    });

    /** A process whose timers renew its lease and read the database. */
    async function process(url: string) {
      const self = { id: systemChance.uuid(), url, version: "1.2.3", keyCheck: "key", sessionPid: 0 };
      const membership = new Membership({ store, clock: systemClock, log: silentLog, leaseMs: LEASE_MS, self, observe: NOBODY });
      const leases = new Leases({
        store,
        clock: systemClock,
        chance: systemChance,
        leaseMs: LEASE_MS,
        keeper: membership.keeperOf("register"),
      });
      const parts = {
        membership,
        leases,
        log: silentLog,
        observe: NOBODY,
        idle: async () => {},
        release: async () => {},
        preferred: agentPlaceOf,
      };
      const holdings = new Holdings(parts);
      await membership.join();
      membership.start();
      running.push(membership);
      return { id: self.id, membership, holdings };
    }

    async function cluster(...args: string[]): Promise<{ code: number; out: string; err: string }> {
      const [out, err]: [string[], string[]] = [[], []];
      const command = clusterCommand(async () => ({ overview: new ClusterOverview(store, systemClock), close: async () => {} }));
      const io = { out: (text: string) => void out.push(text), err: (text: string) => void err.push(text) };
      const loaders = [{ name: "cluster", load: async () => command }];
      const code = await runCommand(loaders, ["cluster", ...args], { ...io, signal: new AbortController().signal });
      return { code, out: out.join("\n"), err: err.join("\n") };
    }

    const listed = async (...args: string[]) => JSON.parse((await cluster(...args, "--json")).out);

    it("lists the processes and their registers, moves a register and drains a process", async () => {
      const [one, two] = [await process("http://10.0.0.1:9101"), await process("http://10.0.0.2:9101")];
      await one.holdings.enter(FRONT);
      await one.holdings.enter(BACK);
      expect(await listed("list")).toMatchObject([
        { id: one.id, url: "http://10.0.0.1:9101", version: "1.2.3", state: "serving", registers: 2 },
        { id: two.id, state: "serving", registers: 0 },
      ]);
      expect(await listed("registers")).toMatchObject([
        { register: FRONT, holder: one.id, waiting: 0 },
        { register: BACK, holder: one.id, waiting: 0 },
      ]);
      expect(await listed("registers", "--holder", two.id)).toEqual([]);
      const [{ token }] = await listed("registers", "--holder", "http://10.0.0.1:9101");

      expect(await cluster("move", FRONT, two.id.slice(0, 13))).toMatchObject({ code: 0, out: `${FRONT} is at ${two.id} now.` });
      const [moved] = await listed("registers", "--holder", two.id);
      expect(moved.token).toBeGreaterThan(token);

      expect(await cluster("drain", one.id)).toEqual({ code: 0, out: `${one.id} has no registers now.`, err: "" });
      expect(one.holdings.place(BACK)).toMatchObject({ kind: "there", process: { id: two.id } });
      expect(await cluster("move", FRONT, two.id)).toMatchObject({ code: 0 });
    });

    it.runIf(EXTENT === "long")("says that the register of an agent stays where its agent is connected", async () => {
      const [one, two] = [await process("http://10.0.0.4:9101"), await process("http://10.0.0.5:9101")];
      await sql`
        insert into agents (name, agent_id, app_id, account_id, public_key, host, version, enrolled_at_ms, epoch, top_epoch, connected, process)
        values ('front', 'agent', 'app', 'account', 'key', 'host', '1', 1, 1, 1, 1, ${one.id})`.execute(store.db);
      await one.holdings.enter("agent:front/till");
      expect(await cluster("move", "agent:front/till", two.id)).toEqual({
        code: 1,
        out: "",
        err: `agent:front/till stays at ${one.id}: its agent is connected there`,
      });
      expect(await cluster("drain", one.id)).toEqual({
        code: 1,
        out: "",
        err: `${one.id} still has 1 registers of agents that are connected to it`,
      });
      await sql`delete from agents`.execute(store.db);
      await sql`update cluster_processes set draining = 0`.execute(store.db);
    });

    it("takes an address for the newest start of its process", async () => {
      await process("http://10.0.0.9:9101");
      const newest = await process("http://10.0.0.9:9101");
      expect(await cluster("registers", "--holder", "http://10.0.0.9:9101")).toMatchObject({ code: 0 });
      expect(await cluster("drain", "http://10.0.0.9:9101")).toMatchObject({ code: 0, out: `${newest.id} has no registers now.` });
    });

    it("says in one line what it cannot do", async () => {
      const { id } = await process("http://10.0.0.3:9101");
      expect(await cluster("move", "shtrih-m+tcp://10.9.9.9:7778", id)).toMatchObject({
        code: 1,
        err: expect.stringContaining("no process has ever used"),
      });
      expect(await cluster("drain", "nobody")).toMatchObject({ code: 1, err: expect.stringContaining('no process is named "nobody"') });
      await sql`update cluster_processes set seen_ms = 1 where id = ${id}`.execute(store.db);
      for (const wrong of [[], ["show"], ["move", FRONT], ["drain"], ["list", "more"], ["list", "--holder", id]]) {
        expect((await cluster(...wrong)).code).toBe(2);
      }
    });
  });
}
