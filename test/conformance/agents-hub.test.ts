import { afterAll, beforeAll, expect, it } from "vitest";
import { OPERATOR } from "../../src/accounts/audit.ts";
import { AgentDesk } from "../../src/agents/desk.ts";
import { Enrolment } from "../../src/agents/enrolment.ts";
import { countStart } from "../../src/agents/identity.ts";
import { nextTurn, systemChance } from "../../src/kernel/clock.ts";
import type { Store } from "../../src/store/database.ts";
import { AGENT_ACCOUNT, AgentBench, OTHER_ACCOUNT } from "../support/agents-bench.ts";
import { agentKeys } from "../support/agents-player.ts";
import { describeDatabase, type TestDatabase, TRIED_DATABASES } from "../support/databases.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const STRANGERS = 200;
/** As many first frames are checked at the same time, and one more may begin. */
const FEW = 5;
const HELLO_OF_NOBODY = {
  agent: "nobody",
  server: "SERVER",
  epoch: 1,
  folder: "folder",
  boot: "boot",
  version: "1",
  protocol: [1, 1],
  features: [],
  registers: [],
  signature: "AAAA",
};

for (const kind of TRIED_DATABASES.filter(({ title }) => title !== "SQLite in a file"))
  describeDatabase("the hub of agents", kind, () => {
    let database: TestDatabase;
    let store: Store;
    let names = 0;
    const newName = () => `shop${++names}`;

    beforeAll(async () => {
      database = await kind.make();
      store = await database.open();
      await store.migrate();
    });
    afterAll(() => database.drop());

    it("connects an enrolled agent, which then answers a call", async () => {
      const bench = await AgentBench.open(store);
      const { player, connection } = await bench.connect(await bench.enrol(newName()));
      const pending = connection.call({ do: "identity", register: "main" }, bench.in(1_000));
      const call = await player.nextCall();
      expect(call).toMatchObject({ do: "identity", register: "main", budgetMs: 1_000 });
      player.send({ answer: call.call, result: { kind: "unreachable", reason: "off" } });
      expect(await pending.answered).toEqual({ kind: "result", result: { kind: "unreachable", reason: "off" } });
      await bench.hub.close();
    });

    it.each([
      ["are no frames of this wire", {}],
      ["are hellos of agents that nobody knows", { hello: HELLO_OF_NOBODY }],
    ])(
      "checks the first frames of strangers in turns of the event loop, few in each, when hundreds come at once and %s",
      async (_what, frame) => {
        const bench = await AgentBench.open(store, { limit: 2 * STRANGERS });
        const stranger = { name: "stranger", agent: "nobody", privateKey: agentKeys().privateKey };
        const players = Array.from({ length: STRANGERS }, () => bench.dial(stranger).player);
        const text = JSON.stringify(frame).replace("SERVER", bench.hub.serverId);
        for (const player of players) player.sendText(text);
        let [done, most] = [0, 0];
        while (done < STRANGERS) {
          await nextTurn();
          most = Math.max(most, bench.outcomes.length - done);
          done = bench.outcomes.length;
        }
        expect(most).toBeLessThanOrEqual(FEW);
        expect(new Set(bench.outcomes).size).toBe(1);
        await bench.hub.close();
      },
    );

    it("has one id for all processes that start for the first time at once, and another number for each", async () => {
      await store.commit((tx) => tx.deleteFrom("agent_server").execute());
      const starts = await Promise.all(
        Array.from({ length: 6 }, () => countStart({ store, clock: new VirtualClock(Date.UTC(2026, 10, 29)), chance: systemChance })),
      );
      expect(new Set(starts.map(({ id }) => id)).size).toBe(1);
      expect(new Set(starts.map(({ startNumber }) => startNumber)).size).toBe(starts.length);
    });

    it("gives a code one use, and other codes none", async () => {
      const bench = await AgentBench.open(store);
      const issued = await bench.enrolment.issue({ name: newName(), key: AGENT_ACCOUNT, minutes: 15, replace: false, actor: OPERATOR });
      const code = issued.kind === "issued" ? issued.code : "";
      const { publicKey } = agentKeys();
      const enrol = (given: string) => bench.enrolment.enrol({ code: given, publicKey, version: "1", host: "h" }, "192.0.2.9");
      expect((await enrol("0000-0000")).kind).toBe("refused");
      expect((await enrol(code.toLowerCase().replaceAll("-", " "))).kind).toBe("enrolled");
      expect((await enrol(code)).kind).toBe("refused");
      await bench.hub.close();
    });

    it("looks at no more than five wrong codes, however many come at once and to whichever process", async () => {
      const bench = await AgentBench.open(store);
      const parts = { store, clock: bench.clock, chance: systemChance };
      const other = new Enrolment(parts);
      const one = new Enrolment({ ...parts, tellWrong: async (source) => other.countWrong(source) });
      const request = { code: "wrong", publicKey: agentKeys().publicKey, version: "1", host: "shop" };
      const enrol = (at: Enrolment) => at.enrol(request, "192.0.2.9");
      const kinds = (await Promise.all(Array.from({ length: 20 }, () => enrol(one)))).map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === "refused")).toHaveLength(5);
      expect((await enrol(other)).kind).toBe("too-many");
    });

    it("refuses a code after its minutes, and every code after five wrong ones in a minute", async () => {
      const bench = await AgentBench.open(store);
      const issued = await bench.enrolment.issue({ name: newName(), key: AGENT_ACCOUNT, minutes: 1, replace: false, actor: OPERATOR });
      const code = issued.kind === "issued" ? issued.code : "";
      const { publicKey } = agentKeys();
      const enrol = (given: string) => bench.enrolment.enrol({ code: given, publicKey, version: "1", host: "h" }, "192.0.2.10");
      await bench.clock.advance(60_000);
      expect((await enrol(code)).kind).toBe("refused");
      for (let wrong = 0; wrong < 4; wrong += 1) expect((await enrol("wrong")).kind).toBe("refused");
      expect((await enrol("wrong")).kind).toBe("too-many");
      await bench.clock.advance(60_000);
      expect((await enrol("wrong")).kind).toBe("refused");
      await bench.hub.close();
    });

    it("keeps a name for one account, and replaces its agent only when that was asked for", async () => {
      const bench = await AgentBench.open(store);
      const name = newName();
      const first = await bench.connect(await bench.enrol(name));
      const issue = (key: typeof AGENT_ACCOUNT, replace: boolean) =>
        bench.enrolment.issue({ name, key, minutes: 15, replace, actor: OPERATOR });
      expect((await issue(OTHER_ACCOUNT, true)).kind).toBe("foreign");
      expect((await issue(AGENT_ACCOUNT, false)).kind).toBe("taken");
      const second = await bench.enrol(name, AGENT_ACCOUNT, true);
      expect((await first.player.closed()).code).toBe(4401);
      expect((await bench.connect(second)).epoch).toBe(1);
      await bench.hub.close();
    });

    it("offers each connection a higher epoch, and uses it after ready", async () => {
      const bench = await AgentBench.open(store);
      const shop = await bench.enrol(newName());
      const first = await bench.connect(shop);
      const next = bench.dial(shop, { epoch: first.epoch });
      await next.player.sayHello();
      expect(await next.player.next()).toMatchObject({ welcome: { epoch: 2, protocol: 1, pingMs: 5_000, silenceMs: 12_000 } });
      expect(bench.hub.reach(shop.name)).toMatchObject({ connection: { epoch: 1 } });
      next.player.send({ ready: { epoch: 2 } });
      await bench.used(shop.name, 2);
      expect((await first.player.closed()).code).toBe(1000);
      await bench.hub.close();
    });

    it.each([
      ["before it has stored the offered epoch", 1],
      ["after it has stored the offered epoch", 2],
    ])("takes an agent back that was killed %s", async (_when, epoch) => {
      const bench = await AgentBench.open(store);
      const shop = await bench.enrol(newName());
      await bench.connect(shop);
      const killed = bench.dial(shop, { epoch: 1 });
      await killed.player.sayHello();
      await killed.player.next();
      killed.wire.cut();
      expect((await bench.connect(shop, { epoch })).epoch).toBe(3);
      await bench.hub.close();
    });

    it.each([
      ["an older epoch", { epoch: 0 }],
      ["another folder", { epoch: 1, folder: "folder-2" }],
      ["an epoch of which the server does not know", { epoch: 7 }],
    ])("refuses a copy with %s until it is accepted, and the one at work goes on", async (_what, copy) => {
      const bench = await AgentBench.open(store);
      const shop = await bench.enrol(newName());
      const worker = await bench.connect(shop);
      const clone = bench.dial(shop, copy);
      await clone.player.sayHello();
      expect((await clone.player.closed()).code).toBe(4409);
      expect(bench.hub.reach(shop.name)).toMatchObject({ connection: { epoch: worker.epoch } });
      await bench.hub.close();
    });

    it.each([
      ["another server", { hello: { server: "elsewhere" } }, 4410],
      ["an unknown agent", { hello: { agent: "nobody" } }, 4401],
      ["a signature of another folder", { hello: { signature: "AAAA" } }, 4401],
      ["a protocol of the future", { hello: { protocol: [2, 3] } }, 4426],
    ])("refuses a hello with %s", async (_what, copy, code) => {
      const bench = await AgentBench.open(store);
      const { player } = bench.dial(await bench.enrol(newName()), copy);
      await player.sayHello();
      expect((await player.closed()).code).toBe(code);
      await bench.hub.close();
    });

    it("keeps the connection of an agent whose earlier hello is looked at late", async () => {
      let hold = Promise.resolve();
      const slow: Pick<Store, "commit" | "read"> = {
        commit: async (...work) => {
          await hold;
          return await store.commit(...work);
        },
        read: (work) => store.read(work),
      };
      const bench = await AgentBench.open(store, { store: slow });
      const shop = await bench.enrol(newName());
      let release = () => {};
      hold = new Promise((resolve) => {
        release = resolve;
      });
      const dead = bench.dial(shop);
      await dead.player.sayHello();
      const next = bench.dial(shop);
      await next.player.sayHello();
      dead.wire.cut();
      await dead.player.closed();
      release();
      const { welcome } = (await next.player.next()) as { welcome: { epoch: number } };
      next.player.send({ ready: welcome });
      await bench.used(shop.name, welcome.epoch);
      expect((await bench.connect(shop, welcome)).epoch).toBe(welcome.epoch + 1);
      await bench.hub.close();
    });

    it("takes agents back after its database was restored, once their epochs are accepted", async () => {
      const bench = await AgentBench.open(store);
      const shop = await bench.enrol(newName());
      const refused = bench.dial(shop, { epoch: 41 });
      await refused.player.sayHello();
      expect((await refused.player.closed()).code).toBe(4409);
      const desk = new AgentDesk({ store, clock: bench.clock, live: bench.hub });
      expect(await desk.acceptAllForked(OPERATOR)).toContain(shop.name);
      expect(await desk.acceptAllForked(OPERATOR)).toEqual([]);
      expect((await bench.connect(shop, { epoch: 41 })).epoch).toBe(42);
      await bench.hub.close();
    });

    it("keeps the connected copy when the refused one has not tried for long", async () => {
      const bench = await AgentBench.open(store);
      const shop = await bench.enrol(newName());
      await bench.connect(shop);
      const clone = bench.dial(shop, { epoch: 1, folder: "copied" });
      await clone.player.sayHello();
      await clone.player.closed();
      await bench.clock.advance(91_000);
      const desk = new AgentDesk({ store, clock: bench.clock, live: bench.hub });
      expect(await desk.accept({ name: shop.name, register: "main" }, OPERATOR)).toEqual({ kind: "accepted", copy: "connected" });
      expect(bench.hub.reach(shop.name)).toMatchObject({ connection: { epoch: 1 } });
      await bench.hub.close();
    });

    it("closes a connection without hello after 5 s, and one of broken frames at once", async () => {
      const bench = await AgentBench.open(store);
      const shop = await bench.enrol(newName());
      const silent = bench.dial(shop);
      await bench.clock.advance(5_000);
      expect((await silent.player.closed()).code).toBe(4408);
      const broken = bench.dial(shop);
      broken.player.sendText("{");
      expect((await broken.player.closed()).code).toBe(4400);
      const early = bench.dial(shop);
      early.player.send({ ready: { epoch: 1 } });
      expect((await early.player.closed()).code).toBe(4400);
      await bench.hub.close();
    });

    it("does not count an epoch on which none can follow", async () => {
      const bench = await AgentBench.open(store);
      const shop = await bench.enrol(newName());
      const mad = bench.dial(shop, { epoch: Number.MAX_SAFE_INTEGER });
      await mad.player.sayHello();
      expect((await mad.player.closed()).code).toBe(4400);
      expect((await bench.connect(shop)).epoch).toBe(1);
      await bench.hub.close();
    });

    it("tells an agent when to come back when the server leaves", async () => {
      const bench = await AgentBench.open(store);
      const shop = await bench.enrol(newName());
      const { player } = await bench.connect(shop);
      await bench.hub.close();
      const { code, reason } = await player.closed();
      expect(code).toBe(4503);
      expect(JSON.parse(reason).retryAfterMs).toBeGreaterThan(0);
      await bench.restart();
      expect(bench.hub.reach(shop.name)).toMatchObject({ kind: "away", reason: `агент ${shop.name} не на связи с 12:00 29.11.2026` });
      expect((await bench.connect(shop, { epoch: 1 })).epoch).toBe(2);
      await bench.hub.close();
    });

    it("takes no more connections than its limit", async () => {
      const bench = await AgentBench.open(store, { limit: 1 });
      await bench.connect(await bench.enrol(newName()));
      const other = bench.dial(await bench.enrol(newName()));
      const { code, reason } = await other.player.closed();
      expect([code, JSON.parse(reason)]).toEqual([4429, { retryAfterMs: 5_000 }]);
      await bench.hub.close();
    });

    it("counts an agent as away once nothing was heard of it for the silence limit", async () => {
      const bench = await AgentBench.open(store);
      const shop = await bench.enrol(newName());
      const { wire, connection } = await bench.connect(shop);
      await bench.clock.advance(30_000);
      expect(bench.hub.reach(shop.name).kind).toBe("connected");
      const pending = connection.call({ do: "inspect", register: "main" }, bench.in(60_000));
      wire.pull();
      await bench.clock.advance(12_000);
      expect(await pending.answered).toEqual({ kind: "lost", reason: "связь с агентом в магазине прервалась" });
      expect(bench.hub.reach(shop.name).kind).toBe("away");
      await bench.hub.close();
    });

    it("offers two copies that come at once different epochs", async () => {
      const bench = await AgentBench.open(store);
      const shop = await bench.enrol(newName());
      const copies = Array.from({ length: 8 }, () => bench.dial(shop).player);
      const epochs = await Promise.all(
        copies.map(async (player) => {
          await player.sayHello();
          return ((await player.next()) as { welcome: { epoch: number } }).welcome.epoch;
        }),
      );
      expect(epochs.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      await bench.hub.close();
    });

    it("has a higher fence after each start, also when its database went back", async () => {
      const bench = await AgentBench.open(store);
      const shop = await bench.enrol(newName());
      const fenceOf = async (epoch: number) => {
        const { player, connection } = await bench.connect(shop, { epoch });
        const pending = connection.call({ do: "inspect", register: "main" }, bench.in(60_000));
        const { fence, call } = await player.nextCall();
        player.send({ answer: call, failed: { code: "busy", reason: "" } });
        expect((await pending.answered).kind).toBe("failed");
        return Number(fence);
      };
      const first = await fenceOf(0);
      await bench.restart();
      const second = await fenceOf(1);
      expect(second).toBeGreaterThan(first);
      await bench.clock.advance(60_000);
      await store.commit((tx) =>
        tx
          .updateTable("agent_server")
          .set({ start_number: 3 })
          .execute()
          .then(() => undefined),
      );
      await bench.restart();
      expect(await fenceOf(2)).toBeGreaterThan(second);
      await bench.hub.close();
    });
  });
