import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import { OPERATOR } from "../../src/accounts/audit.ts";
import { selectAgent } from "../../src/agents/agent-queries.ts";
import { AgentDesk } from "../../src/agents/desk.ts";
import { Enrolment } from "../../src/agents/enrolment.ts";
import type { HubServices } from "../../src/agents/hub.ts";
import { compareDevice } from "../../src/agents/pins.ts";
import { AgentRequests, askServer } from "../../src/agents/requests.ts";
import { nextTurn, systemChance } from "../../src/kernel/clock.ts";
import { deadlineIn } from "../../src/kernel/deadline.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { AgentRegister } from "../../src/registers/agent/register.ts";
import type { Store } from "../../src/store/database.ts";
import { AGENT_ACCOUNT, AgentBench, OTHER_ACCOUNT } from "../support/agents-bench.ts";
import { agentKeys } from "../support/agents-player.ts";
import { describeDatabase, type TestDatabase, TRIED_DATABASES } from "../support/databases.ts";
import { HurriedClock } from "../support/hurried-clock.ts";

type OwnStore = Pick<Store, "commit" | "read">;

function enrolmentAt(store: OwnStore): Enrolment {
  return new Enrolment({ store, clock: new HurriedClock(), chance: systemChance });
}

for (const kind of TRIED_DATABASES.filter(({ title }) => title !== "SQLite in a file"))
  describeDatabase("the agents of several processes", kind, () => {
    let database: TestDatabase;
    let store: Store;
    let names = 0;
    const newName = () => `several${++names}`;

    beforeAll(async () => {
      database = await kind.make();
      store = await database.open();
      await store.migrate();
    });
    afterAll(() => database.drop());

    /** Two processes on one database. */
    async function twoProcesses(options: Partial<HubServices> = {}) {
      const one = await AgentBench.open(store, { ...options, process: "one" });
      const two = await AgentBench.open(store, { ...options, process: "two" });
      const deskOf = (own: AgentBench, other: AgentBench) =>
        new AgentDesk({
          store,
          clock: own.clock,
          live: {
            held: (name) => own.hub.held(name),
            refresh: (name) => own.hub.refresh(name),
            elsewhere: async () => new Map(Object.entries(other.hub.views())),
          },
        });
      /** Lets both processes read where the agents are, as each does twice a second. */
      const read = async (keeping = ["one", "two"]) => {
        await Promise.all([one.hub.stored(), two.hub.stored()]);
        const rows = await store.read((db) => db.selectFrom("agents").select(["name", "process"]).execute());
        const places = Object.fromEntries(rows.flatMap(({ name, process }) => (process === null ? [] : [[name, process]])));
        for (const { hub } of [one, two]) hub.follow(places, (process) => keeping.includes(process));
        await Promise.all([one.hub.stored(), two.hub.stored()]);
      };
      const placeOf = async (name: string) => (await store.read((db) => selectAgent(db, name)))?.process;
      const close = async () => {
        await one.hub.close();
        await two.hub.close();
      };
      return { one, two, desks: [deskOf(one, two), deskOf(two, one)] as const, read, placeOf, close };
    }

    /** The connection of a transaction that may be idle for as long as a slow machine takes. The server would end it earlier. */
    async function patientPid(tx: Parameters<Parameters<Store["commit"]>[0]>[0]): Promise<number> {
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
      return rows[0]?.pid ?? 0;
    }

    /**
     * Calls of two processes. The transaction of the first call ends when the second call waits for it or has ended. In SQLite transactions
     * follow one another anyway.
     */
    async function atOnce<First, Second>(first: (at: OwnStore) => Promise<First>, second: (at: OwnStore) => Promise<Second>) {
      const [reached, end] = [Promise.withResolvers<number>(), Promise.withResolvers<void>()];
      const slow: OwnStore = {
        read: (work) => store.read(work),
        commit: (work, what) =>
          store.commit(async (tx) => {
            const done = await work(tx);
            reached.resolve(store.kind === "postgres" ? await patientPid(tx) : 0);
            await end.promise;
            return done;
          }, what),
      };
      const other = kind.shared ? await database.open() : store;
      const firstDone = first(slow);
      const pid = await reached.promise;
      let isOver = false;
      const secondDone = second(other).finally(() => {
        isOver = true;
      });
      const blocked = async () =>
        (await sql`select 1 from pg_stat_activity where ${pid}::int = any(pg_blocking_pids(pid))`.execute(other.db)).rows.length > 0;
      while (kind.kind === "postgres" && !isOver && !(await blocked())) await nextTurn();
      end.resolve();
      return [await firstDone, await secondDone] as const;
    }

    it("have a name of one account, also when two processes make a code for it at the same time", async () => {
      const { close } = await twoProcesses();
      const wanted = { name: newName(), minutes: 15, replace: false, actor: OPERATOR };
      const [first, second] = await atOnce(
        (at) => enrolmentAt(at).issue({ ...wanted, key: AGENT_ACCOUNT }),
        (at) => enrolmentAt(at).issue({ ...wanted, key: OTHER_ACCOUNT }),
      );
      expect(first).toMatchObject({ kind: "issued" });
      expect(second).toEqual({ kind: "foreign" });
      await close();
    });

    it("are not replaced by a code that was made without that wish while they were being enrolled", async () => {
      const { close } = await twoProcesses();
      const wanted = { name: newName(), key: AGENT_ACCOUNT, minutes: 15, replace: false, actor: OPERATOR };
      const issued = await enrolmentAt(store).issue(wanted);
      if (issued.kind !== "issued") throw new Error(issued.kind);
      const request = { code: issued.code, publicKey: agentKeys().publicKey, version: "1", host: "shop" };
      const [enrolled, second] = await atOnce(
        (at) => enrolmentAt(at).enrol(request, "192.0.2.1"),
        (at) => enrolmentAt(at).issue(wanted),
      );
      expect(enrolled).toMatchObject({ kind: "enrolled" });
      expect(second).toEqual({ kind: "taken" });
      await close();
    });

    it("keep the device that a person has accepted, although the device before it is seen at that moment", async () => {
      const { one, close } = await twoProcesses();
      const shop = await one.enrol(newName());
      const place = { name: shop.name, register: "main" };
      const [was, is] = ["1", "2"].map((number) => ({ serialNumber: number, driveNumber: number })) as [Device, Device];
      for (const device of [was, is]) await compareDevice(store, place, device);
      const [accepted, compared] = await atOnce(
        (at) => new AgentDesk({ store: at, clock: one.clock }).accept(place, OPERATOR),
        (at) => compareDevice(at, place, was),
      );
      expect(accepted).toMatchObject({ kind: "accepted", device: is });
      expect(compared).toEqual({ kind: "other", pinned: is });
      expect(await compareDevice(store, place, is)).toEqual({ kind: "same" });
      await close();
    });

    it("are shown as connected by a process to which they are not connected, with what the other knows", async () => {
      const { one, two, desks, read, close } = await twoProcesses();
      const shop = await one.enrol(newName());
      const { player, connection } = await one.connect(shop);
      player.send({ seen: { register: "main", state: { kind: "unreachable", reason: "off" } } });
      const asking = connection.call({ do: "log", lines: 1 }, one.in(1_000));
      player.send({ answer: (await player.nextCall()).call, result: {} });
      await asking.answered;
      await read();
      for (const desk of desks) {
        const [shown] = (await desk.list()).filter(({ name }) => name === shop.name);
        expect(shown).toMatchObject({ state: "connected", registers: [{ name: "main", state: "unreachable" }] });
        expect(shown?.since).toBe(new Date(one.clock.nowMs()).toISOString());
      }
      expect(two.hub.reach(shop.name)).toMatchObject({
        reason: `агент ${shop.name} на связи с другим процессом сервера; повторите запрос`,
      });
      await close();
    });

    it("lose their connection when they are revoked or replaced through another process", async () => {
      const { one, two, desks, read, close } = await twoProcesses();
      const [revoked, replaced] = [await one.enrol(newName()), await one.enrol(newName())];
      const [first, second] = [await one.connect(revoked), await one.connect(replaced)];
      await read();
      expect(await desks[1].revoke(revoked.name, OPERATOR)).toBe(true);
      await two.enrol(replaced.name, AGENT_ACCOUNT, true);
      await read();
      expect((await first.player.closed()).code).toBe(4403);
      expect((await second.player.closed()).code).toBe(4401);
      await close();
    });

    it("go on when another device was accepted through another process, and the device is compared anew", async () => {
      const { one, desks, read, placeOf, close } = await twoProcesses();
      const shop = await one.enrol(newName());
      await one.connect(shop);
      const [was, is] = ["1", "2"].map((number) => ({ serialNumber: number, driveNumber: number })) as [Device, Device];
      expect(await one.hub.admit(shop.name, "main", was)).toBeUndefined();
      expect(await one.hub.admit(shop.name, "main", is)).toContain("замену нужно подтвердить");
      await read();
      expect(await desks[1].accept({ name: shop.name, register: "main" }, OPERATOR)).toMatchObject({ kind: "accepted", device: is });
      await read();
      expect(one.hub.reach(shop.name).kind).toBe("connected");
      expect(await placeOf(shop.name)).toBe("one");
      expect(await one.hub.admit(shop.name, "main", was)).toContain("замену нужно подтвердить");
      await close();
    });

    it("end a half-open connection as soon as a newer one is used elsewhere", async () => {
      const { one, two, read, placeOf, close } = await twoProcesses();
      const shop = await one.enrol(newName());
      const { epoch, player } = await one.connect(shop);
      await two.connect(shop, { epoch });
      await read();
      expect(await player.closed()).toMatchObject({ code: 1000, reason: "a newer connection is used" });
      await read();
      expect(await placeOf(shop.name)).toBe("two");
      expect(one.hub.placeOf(shop.name)).toBe("elsewhere");
      await close();
    });

    it("stay with their newer connection when the earlier one is stored late", async () => {
      const slow = Promise.withResolvers<void>();
      const { one, two, placeOf, close } = await twoProcesses();
      const name = newName();
      const late: Pick<Store, "commit" | "read"> = {
        read: (work) => store.read(work),
        commit: async (work, when) => {
          if (when === "behind") await slow.promise;
          return store.commit(work, when);
        },
      };
      const third = await AgentBench.open(store, { process: "three", store: late });
      const shop = await one.enrol(name);
      const { epoch, player } = await third.connect(shop);
      await two.connect(shop, { epoch });
      await two.hub.stored();
      slow.resolve();
      await third.hub.stored();
      expect(await placeOf(name)).toBe("two");
      expect((await player.closed()).code).toBe(1000);
      await third.hub.close();
      await close();
    });

    it("dial again at once when their process leaves to others, after the work at their registers, and their sales wait for them", async () => {
      const { one, two, read, close } = await twoProcesses();
      const shop = await one.enrol(newName());
      const { epoch, player } = await one.connect(shop);
      await read();
      const rested = Promise.withResolvers<void>();
      const resting: string[] = [];
      one.hub.leaveToOthers();
      const sending = one.hub.sendOn(shop.name, (registers) => {
        resting.push(...registers);
        return rested.promise;
      });
      const order: string[] = [];
      const here = one.hub.arrived(shop.name).then(() => order.push("one"));
      await one.clock.advance(60_000);
      expect([resting, order]).toEqual([[`agent:${shop.name}`], []]);
      rested.resolve();
      await sending;
      const { code, reason } = await player.closed();
      expect(code).toBe(4503);
      expect(JSON.parse(reason).retryAfterMs).toBeLessThanOrEqual(300);
      await read(["two"]);
      const there = two.hub.arrived(shop.name).then(() => order.push("two"));
      await nextTurn();
      expect(order).toEqual([]);
      await two.connect(shop, { epoch });
      await there;
      await read(["two"]);
      await here;
      expect(order).toEqual(["two", "one"]);
      expect((await one.dial(shop, { epoch: epoch + 1 }).player.closed()).code).toBe(4503);
      await close();
    });

    it("are not waited for by the process whose call was cut off, once they have dialled another one", async () => {
      const { one, two, read, close } = await twoProcesses();
      const shop = await one.enrol(newName());
      const { epoch, player } = await one.connect(shop);
      await read();
      player.close();
      await one.hub.stored();
      let isOver = false;
      const again = one.hub.again(shop.name, epoch, one.in(100_000)).finally(() => {
        isOver = true;
      });
      await read();
      expect(isOver).toBe(false);
      await two.connect(shop, { epoch });
      await read();
      expect(await again).toMatchObject({ kind: "away", reason: expect.stringContaining("с другим процессом сервера") });
      await close();
    });

    it("are awaited for five seconds when they do not come, and not at all when they went by themselves", async () => {
      const { one, two, read, close } = await twoProcesses();
      const [sent, gone] = [await one.enrol(newName()), await one.enrol(newName())];
      await one.connect(sent);
      const { player } = await one.connect(gone);
      await read();
      player.close();
      await read();
      await two.hub.arrived(gone.name);
      await one.hub.sendOn(sent.name, async () => {});
      await read(["two"]);
      let isOver = false;
      const waiting = two.hub.arrived(sent.name).then(() => {
        isOver = true;
      });
      await two.clock.advance(4_999);
      expect(isOver).toBe(false);
      await two.clock.advance(1);
      await waiting;
      await close();
    });

    it("are found again by a process that was counted as lost and has kept the connection", async () => {
      const { one, read, placeOf, close } = await twoProcesses();
      const shop = await one.enrol(newName());
      await one.connect(shop);
      await read();
      await store.commit((tx) => tx.updateTable("agents").set({ process: null, connected: 0 }).where("name", "=", shop.name).execute());
      await read();
      expect(await placeOf(shop.name)).toBe("one");
      expect(one.hub.reach(shop.name).kind).toBe("connected");
      await close();
    });

    it("get no call for a register that another process may have, and are told what has ended", async () => {
      const { one, close } = await twoProcesses({ fenceOf: (_register, call) => (call === "settled" ? 7 : undefined) });
      const shop = await one.enrol(newName());
      const { player, connection } = await one.connect(shop);
      expect(await connection.call({ do: "abandon", register: "main" }, one.in(1_000)).answered).toMatchObject({ code: "fenced" });
      expect(await player.next()).toMatchObject({ do: "settled", fence: 7 });
      await close();
    });

    it("get no call of work that has begun under an earlier lease", async () => {
      const { one, close } = await twoProcesses();
      const shop = await one.enrol(newName());
      const { player } = await one.connect(shop);
      const services = { clock: one.clock, tunnel: one.hub, maySend: () => false };
      const register = new AgentRegister({ agent: shop.name, register: "main", text: shop.name }, services);
      const refused = { kind: "unreachable", reason: "кассой управляет другой сервер" };
      expect(await register.abandon(one.in(1_000))).toEqual(refused);
      expect(await register.lookUp(1, one.in(1_000))).toEqual(refused);
      expect(await register.inspect(one.in(1_000))).toEqual(refused);
      expect(await register.recall({ id: "attempt", record: "folder-1" }, one.in(1_000))).toEqual(refused);
      expect(player.frames.filter((frame) => "call" in frame && frame.do !== "settled")).toEqual([]);
      await close();
    });

    it("are asked for their log by the process that they are connected to, and each request is answered once", async () => {
      const { one, two, desks, read, close } = await twoProcesses();
      const shop = await one.enrol(newName());
      const { player } = await one.connect(shop);
      await read();
      const clock = new HurriedClock();
      clock.hurry();
      const answered: string[] = [];
      const requests = [one, two].map(({ hub }, index) => {
        const desk = desks[index] ?? desks[0];
        const noted = Object.assign(Object.create(desk) as AgentDesk, {
          list: async () => {
            answered.push(String(index));
            return [];
          },
        });
        return new AgentRequests({ store, clock, log: silentLog, hub, desk: noted, isChosen: async () => index === 1 });
      });
      for (const each of requests) each.start();
      const ask = (request: Parameters<typeof askServer>[1]) =>
        askServer({ store, clock, chance: systemChance }, request, deadlineIn(clock, 600_000));
      const asking = ask({ kind: "log", name: shop.name, lines: 5 });
      player.send({ answer: (await player.nextCall()).call, result: { lines: ["own"] } });
      expect(await asking).toEqual({ kind: "done", result: { kind: "lines", lines: ["own"], newest: 0 } });
      expect(await ask({ kind: "list" })).toMatchObject({ kind: "done" });
      for (let turn = 0; turn < 50; turn += 1) await nextTurn();
      expect(answered).toEqual(["1"]);
      for (const each of requests) await each.close();
      await close();
    });
  });

interface Device {
  serialNumber: string;
  driveNumber: string;
}
