import { afterAll, beforeAll, expect, it } from "vitest";
import { OPERATOR } from "../../src/accounts/audit.ts";
import { AgentDesk } from "../../src/agents/desk.ts";
import { compareDevice, keepRegisters } from "../../src/agents/pins.ts";
import type { TunnelCall } from "../../src/registers/tunnel.ts";
import type { Store } from "../../src/store/database.ts";
import { AgentBench } from "../support/agents-bench.ts";
import { describeDatabase, type TestDatabase, TRIED_DATABASES } from "../support/databases.ts";
import { reportDocument } from "../support/register-documents.ts";

const PERFORM = {
  do: "perform",
  register: "main",
  attempt: "attempt-1",
  hash: "hash-1",
  needs: [],
  document: reportDocument("x-report"),
} satisfies TunnelCall;
const DEVICE = { serialNumber: "0001", driveNumber: "9999078900000001" };
const REPLACED = { ...DEVICE, driveNumber: "9999078900000002" };

for (const kind of TRIED_DATABASES.filter(({ title }) => title !== "SQLite in a file")) {
  describeDatabase("a connected agent", kind, () => {
    let database: TestDatabase;
    let store: Store;
    let names = 0;

    beforeAll(async () => {
      database = await kind.make();
      store = await database.open();
      await store.migrate();
    });
    afterAll(() => database.drop());

    const connected = async () => {
      const bench = await AgentBench.open(store);
      const shop = await bench.enrol(`till${++names}`);
      return { bench, shop, ...(await bench.connect(shop)) };
    };

    it("performs after accepted and go, and one document at a time", async () => {
      const { bench, player, connection } = await connected();
      const performing = connection.call(PERFORM, bench.in(60_000));
      const { call, fence } = await player.nextCall();
      expect(performing.go()).toBe(false);
      player.send({ accepted: call });
      expect(await performing.accepted).toBe(true);
      expect([performing.go(), performing.go()]).toEqual([true, true]);
      expect(await player.next()).toEqual({ go: call });
      expect(fence).toEqual(expect.any(Number));
      const second = connection.call({ ...PERFORM, attempt: "attempt-2" }, bench.in(60_000));
      expect(await second.answered).toMatchObject({ kind: "failed", code: "busy" });
      const recalling = connection.call({ do: "recall", register: "main", attempt: "attempt-1" }, bench.in(60_000));
      const recall = await player.nextCall();
      player.send({ answer: recall.call, result: { kind: "running" } });
      expect(await recalling.answered).toEqual({ kind: "result", result: { kind: "running" } });
      player.send({ answer: call, result: { kind: "refused" } });
      player.send({ answer: call, result: { kind: "done" } });
      expect(await performing.answered).toEqual({ kind: "result", result: { kind: "refused" } });
      expect(performing.go()).toBe(false);
      await bench.hub.close();
    });

    it("gets no go after 5 s without accepted, whatever comes then", async () => {
      const { bench, player, connection } = await connected();
      const performing = connection.call(PERFORM, bench.in(60_000));
      const { call } = await player.nextCall();
      await bench.clock.advance(5_000);
      expect(await performing.accepted).toBe(false);
      player.send({ accepted: call });
      const after = connection.call({ do: "inspect", register: "main" }, bench.in(60_000));
      expect((await player.nextCall()).do).toBe("inspect");
      expect(performing.go()).toBe(false);
      player.close();
      expect((await after.answered).kind).toBe("lost");
      await bench.hub.close();
    });

    it("is told in each call how much time is left, and the call is lost when it is over", async () => {
      const { bench, shop, player, connection } = await connected();
      const asking = connection.call({ do: "inspect", register: "main" }, bench.in(1_500));
      const { call, budgetMs } = await player.nextCall();
      expect(budgetMs).toBe(1_500);
      await bench.clock.advance(1_500);
      expect(await asking.answered).toEqual({ kind: "lost", reason: "агент в магазине не ответил вовремя" });
      player.send({ answer: call, result: {} });
      expect(bench.hub.reach(shop.name).kind).toBe("connected");
      await bench.hub.close();
    });

    it("is awaited again until the deadline after its connection broke", async () => {
      const { bench, shop, wire, connection } = await connected();
      const pending = connection.call(PERFORM, bench.in(60_000));
      wire.cut();
      expect((await pending.answered).kind).toBe("lost");
      const again = bench.hub.again(shop.name, connection.epoch, bench.in(10_000));
      await bench.connect(shop, { epoch: 1 });
      expect(await again).toMatchObject({ kind: "connected", connection: { epoch: 2 } });
      const never = bench.hub.again(shop.name, 2, bench.in(10_000));
      await bench.clock.advance(10_000);
      expect((await never).kind).toBe("away");
      await bench.hub.close();
    });

    it("is told which attempts are settled: all but those of unfinished operations", async () => {
      const bench = await AgentBench.open(store);
      const shop = await bench.enrol(`till${++names}`);
      bench.unfinished.add("open");
      const { player } = await bench.connect(shop);
      const asked = await player.next();
      expect(asked).toMatchObject({ do: "settled", register: "main", attempts: [] });
      player.send({ answer: asked.call, result: { unsettled: ["done", "open", "void"] } });
      const told = await player.next();
      expect(told).toMatchObject({ do: "settled", attempts: ["done", "void"] });
      player.send({ answer: told.call, result: { unsettled: ["open"] } });
      await bench.clock.advance(60_000);
      bench.unfinished.clear();
      expect(bench.hub.held(shop.name)?.unfinished).toBe(1);
      const again = await player.next();
      player.send({ answer: again.call, result: { unsettled: ["open"] } });
      expect(await player.next()).toMatchObject({ do: "settled", attempts: ["open"] });
      await bench.hub.close();
    });

    it("has an unknown number of unfinished attempts after it left a later question about them unanswered", async () => {
      const bench = await AgentBench.open(store);
      const shop = await bench.enrol(`till${++names}`);
      bench.unfinished.add("open");
      const { player } = await bench.connect(shop);
      const asked = await player.next();
      player.send({ answer: asked.call, result: { unsettled: ["done", "open"] } });
      const told = await player.next();
      expect(told).toMatchObject({ do: "settled", attempts: ["done"] });
      player.send({ answer: told.call, failed: { code: "record-failed", reason: "full" } });
      await bench.clock.advance(60_000);
      expect(bench.hub.held(shop.name)).toMatchObject({ rttMs: 0, unfinished: undefined });
      await bench.hub.close();
    });

    it("has its device pinned at first sight, and another one is refused until it is accepted", async () => {
      const { bench, shop } = await connected();
      const admit = (device: typeof DEVICE) => bench.hub.admit(shop.name, "main", device);
      const desk = new AgentDesk({ store, clock: bench.clock, live: bench.hub });
      expect([await admit(DEVICE), await admit(DEVICE)]).toEqual([undefined, undefined]);
      expect(await admit(REPLACED)).toBe(
        `за agent:${shop.name} была касса № 0001 с ФН 9999078900000001, а теперь стоит касса № 0001 с ФН 9999078900000002; если её заменили, замену нужно подтвердить в настройках`,
      );
      await bench.stored();
      expect((await desk.list()).find(({ name }) => name === shop.name)?.registers).toEqual([
        { name: "main", scheme: "emulator", ...DEVICE, pinned: false, state: "unknown", other: REPLACED },
      ]);
      expect(await desk.accept({ name: shop.name, register: "main" }, OPERATOR)).toEqual({ kind: "accepted", device: REPLACED });
      expect(await admit(REPLACED)).toBe(undefined);
      expect(await admit(DEVICE)).toEqual(expect.stringContaining("ФН 9999078900000001"));
      expect(bench.refused).toEqual(["other-device", "other-device"]);
      await bench.hub.close();
    });

    it("keeps the pin of a register whose scheme is stored at the same moment", async () => {
      const bench = await AgentBench.open(store);
      const names = Array.from({ length: 20 }, (_, index) => `twin${index}`);
      await Promise.all(
        names.flatMap((name) => [
          compareDevice(store, { name, register: "main" }, DEVICE),
          keepRegisters(store, name, [{ name: "main", scheme: "emulator" }]),
        ]),
      );
      const again = await Promise.all(names.map((name) => compareDevice(store, { name, register: "main" }, REPLACED)));
      expect(again).toEqual(names.map(() => ({ kind: "other", pinned: DEVICE })));
      await bench.hub.close();
    });

    it("tells states of its registers and lines of its log, of which the newest are kept", async () => {
      const { bench, shop, player, connection } = await connected();
      player.send({ seen: { register: "main", state: { kind: "unreachable", reason: "off" } } });
      player.send({ log: Array.from({ length: 600 }, (_, index) => `line ${index}`) });
      player.send({ log: ["last"], dropped: 7 });
      const asking = connection.call({ do: "inspect", register: "main" }, bench.in(60_000));
      player.send({ answer: (await player.nextCall()).call, result: {} });
      await asking.answered;
      const held = bench.hub.held(shop.name);
      expect(held?.seen("main")).toEqual({ kind: "unreachable", reason: "off" });
      expect([held?.log.newest, held?.log.last(2), held?.log.after(600), held?.log.last(1_000).length]).toEqual([
        601,
        ["line 599", "last"],
        ["last"],
        500,
      ]);
      await bench.hub.close();
    });

    it("has its frames counted in bytes, not in characters", async () => {
      const counted = { in: 0, out: 0 };
      const observe = {
        bytes: (direction: "in" | "out", bytes: number) => {
          counted[direction] += bytes;
        },
        call: () => {},
        connect: () => {},
        refused: () => {},
        logDropped: () => {},
      };
      const bench = await AgentBench.open(store, { observe });
      const shop = await bench.enrol(`till${++names}`);
      const { wire, player } = bench.dial(shop, { hello: { version: "1.0.0 «касса»" } });
      const { connection } = await bench.used(shop.name, await player.connect());
      const performing = connection.call(PERFORM, bench.in(60_000));
      const { call } = await player.nextCall();
      player.send({ log: ["бумага кончилась"] });
      player.send({ answer: call, result: { kind: "refused" } });
      await performing.answered;
      const sentBy = (end: string) => wire.sent.filter(({ from }) => from === end).map(({ text }) => text);
      expect(counted).toEqual({ in: Buffer.byteLength(sentBy("agent").join("")), out: Buffer.byteLength(sentBy("server").join("")) });
      expect(counted.in).toBeGreaterThan(sentBy("agent").join("").length);
      await bench.hub.close();
    });

    it.each([
      ["no JSON", "{"],
      ["no frame", '{"other": 1}'],
      ["a second hello", '{"hello": {}}'],
      ["a call of the server", '{"call": 1, "do": "inspect"}'],
    ])("is closed with 4400 when it sends %s, and nothing is sent on", async (_what, text) => {
      const { bench, player } = await connected();
      player.sendText(text);
      expect((await player.closed()).code).toBe(4400);
      await bench.hub.close();
    });

    it.each(
      (["server", "agent"] as const).flatMap((from) =>
        [1, 2, 3].flatMap((number) => (["cut", "cut-after", "double", "stall"] as const).map((fault) => ({ from, number, fault }))),
      ),
    )("comes back after the beginning of a connection met $fault at frame $number of the $from", async ({ from, number, fault }) => {
      const bench = await AgentBench.open(store);
      const shop = await bench.enrol(`till${++names}`);
      const faulty = bench.dial(shop, {}, (frame) =>
        frame.from === from && frame.number === number ? (fault === "stall" ? { kind: fault, ms: 4_000 } : { kind: fault }) : undefined,
      );
      const stored = { epoch: 0 };
      const begun = faulty.player.connect().then(
        (epoch) => {
          stored.epoch = epoch;
        },
        () => {},
      );
      await bench.clock.advance(20_000);
      faulty.wire.cut();
      await begun;
      expect((await bench.connect(shop, stored)).epoch).toBeGreaterThan(stored.epoch);
      await bench.hub.close();
    });
  });
}
