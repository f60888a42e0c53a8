import { readFileSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { PlayedShop } from "../support/agent-shop.ts";
import { shiftDocument } from "../support/register-documents.ts";

let shop: PlayedShop;

beforeEach(() => {
  shop = new PlayedShop();
});

/** Lets time pass until the agent has tried once more, and returns how long this took. */
async function nextTry(limitMs = 31_000): Promise<number> {
  const { connects } = shop;
  const fromMs = shop.clock.monotonicMs();
  while (shop.connects === connects && shop.clock.monotonicMs() - fromMs < limitMs) await shop.clock.advance(50);
  return shop.clock.monotonicMs() - fromMs;
}

describe("an agent that dials", () => {
  it("proves its key, keeps the epoch, and only then says that it is ready", async () => {
    shop.dial.start();
    await shop.settled();
    shop.wire.challenge();
    await shop.wire.until(({ hello }) => hello !== undefined);
    expect(shop.wire.hello).toMatchObject({ agent: "agent-1", server: "server-1", epoch: 0, protocol: [1, 1] });
    shop.wire.welcome(41);
    await shop.wire.until(({ ready }) => ready !== undefined);
    expect(shop.record.epoch).toBe(41);
    await shop.kill();
    const again = new PlayedShop({ clock: shop.clock, data: shop.folder.path });
    await again.ready();
    expect(again.wire.hello).toMatchObject({ epoch: 41, folder: shop.wire.hello.folder });
    expect(again.wire.hello.boot).not.toBe(shop.wire.hello.boot);
  });

  it("closes with 4410 at another server, and tries on", async () => {
    shop.dial.start();
    await shop.settled();
    shop.wire.challenge("server-2");
    await shop.settled();
    expect(shop.wire.closed).toMatchObject({ code: 4410 });
    expect(shop.wire.frames).toEqual([]);
    await nextTry();
    expect(shop.connects).toBe(2);
  });

  it("closes with 4426 at a server that speaks only later protocols", async () => {
    shop.dial.start();
    await shop.settled();
    shop.wire.challenge("server-1", [2, 3]);
    await shop.settled();
    expect(shop.wire.closed).toMatchObject({ code: 4426 });
  });

  it.each([
    ["no JSON", "{"],
    ["no frame of the wire", '{"hallo":1}'],
    ["a call before the welcome", '{"call":1,"do":"inspect","register":"main","fence":1,"budgetMs":1}'],
    ["a second challenge", '{"challenge":"n","server":"server-1","protocol":[1,1]}'],
  ])("closes with 4400 for %s, and does nothing that follows", async (_what, text) => {
    shop.dial.start();
    await shop.settled();
    shop.wire.challenge();
    await shop.wire.until(({ hello }) => hello !== undefined);
    shop.wire.send(text);
    shop.wire.welcome(1);
    await shop.settled();
    expect(shop.wire.closed).toMatchObject({ code: 4400 });
    expect(shop.record.epoch).toBe(0);
  });

  it("closes with 4408 when the server is silent at the beginning or later", async () => {
    shop.dial.start();
    await shop.settled();
    await shop.clock.advance(5_000);
    expect(shop.wire.closed).toMatchObject({ code: 4408 });
    await nextTry();
    const wire = await shop.ready();
    wire.memory.pull();
    await shop.clock.advance(13_000);
    expect(shop.problems.at(-1)).toMatch(/silent/);
    await nextTry();
    expect(shop.connects).toBeGreaterThanOrEqual(3);
  });

  it("waits at random below a limit that doubles from 0.5 s to 30 s, for ever", async () => {
    shop.unreachable = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
    shop.dial.start();
    await shop.settled();
    const waits: number[] = [];
    for (let count = 0; count < 60; count += 1) waits.push(await nextTry());
    expect(waits[0]).toBeLessThanOrEqual(550);
    for (const wait of waits) expect(wait).toBeLessThanOrEqual(30_050);
    const late = waits.slice(10);
    expect(Math.max(...late)).toBeGreaterThan(15_000);
    expect(Math.min(...late)).toBeLessThan(10_000);
    expect(shop.problems[0]).toMatch(/no connection to 127\.0\.0\.1.*ECONNREFUSED/);
  });

  it("begins at 0.5 s again after a connection of a minute, and not before", async () => {
    shop.unreachable = new Error("away");
    shop.dial.start();
    await shop.settled();
    for (let count = 0; count < 8; count += 1) await nextTry();
    shop.unreachable = undefined;
    await nextTry();
    const short = await shop.ready();
    await shop.clock.advance(10_000);
    short.memory.cut();
    await shop.settled();
    await nextTry();
    const long = await shop.ready();
    for (let seconds = 0; seconds < 61; seconds += 1) await shop.clock.advance(1_000);
    long.memory.cut();
    await shop.settled();
    expect(await nextTry()).toBeLessThanOrEqual(550);
  });

  it.each([
    ["a known call without its attempt", { call: 1, do: "recall", register: "main", fence: 1, budgetMs: 5_000 }],
    ["a known call with less than no time", { call: 1, do: "inspect", register: "main", fence: 1, budgetMs: -1 }],
    ["a known call with more time than a timer can wait", { call: 1, do: "inspect", register: "main", fence: 1, budgetMs: 2 ** 31 }],
  ])("closes with 4400 at %s, and answers nothing", async (_what, frame) => {
    const wire = await shop.ready();
    wire.send(frame);
    await shop.settled();
    expect(wire.closed).toMatchObject({ code: 4400 });
    expect(wire.frames.filter((sent) => sent.answer !== undefined)).toEqual([]);
  });

  it("closes with 4400 at a heartbeat for which no timer can wait", async () => {
    shop.dial.start();
    await shop.settled();
    shop.wire.challenge();
    await shop.wire.until(({ hello }) => hello !== undefined);
    shop.wire.welcome(1, { pingMs: 2 ** 31, silenceMs: 2 ** 31 });
    await shop.settled();
    expect(shop.wire.closed).toMatchObject({ code: 4400 });
  });

  it.each([4429, 4503])("waits as long as the server asks with %i", async (code) => {
    const wire = await shop.ready();
    wire.memory.server.close(code, '{"retryAfterMs":20000}');
    await shop.settled();
    expect(await nextTry()).toBeGreaterThanOrEqual(20_000);
    expect(shop.connects).toBe(2);
  });

  it.each([
    [4401, /does not know/],
    [4403, /revoked/],
    [4409, /forked/],
    [4426, /protocol/],
  ])("tells why it was refused with %i, and tries on", async (code, words) => {
    shop.dial.start();
    await shop.settled();
    shop.wire.challenge();
    await shop.wire.until(({ hello }) => hello !== undefined);
    shop.wire.memory.server.close(code, "");
    await shop.settled();
    expect(shop.problems.at(-1)).toMatch(words);
    await nextTry();
    expect(shop.connects).toBe(2);
  });

  it("works with a server whose clock is a year off, and warns of it", async () => {
    shop.dial.start();
    await shop.settled();
    shop.wire.challenge();
    await shop.wire.until(({ hello }) => hello !== undefined);
    shop.wire.welcome(1, { at: "2027-11-29T09:00:00.000Z" });
    await shop.wire.until(({ ready }) => ready !== undefined);
    expect(shop.logged.some(({ level, text }) => level === "warn" && /clocks/.test(text))).toBe(true);
    expect((await shop.wire.perform("a-1", shiftDocument("open-shift"))).result).toMatchObject({ kind: "done" });
  });

  it("ends in order: the document under way is finished, and no call is taken", async () => {
    const wire = await shop.ready();
    await wire.ask({ do: "inspect" });
    const number = wire.begin({ do: "perform", attempt: "a-1", hash: "h", needs: [], document: shiftDocument("open-shift") });
    await wire.until(({ accepted }) => accepted === number);
    const leaving = shop.service.leave();
    expect(await wire.ask({ do: "inspect" })).toMatchObject({ failed: { code: "leaving" } });
    wire.send({ go: number });
    expect((await wire.answer(number)).result).toMatchObject({ kind: "done" });
    await leaving;
    await Promise.all([shop.dial.close(), shop.clock.advance(1_000)]);
    expect(wire.closed).toMatchObject({ code: 1000 });
  });

  it("ends although a connection is never made", async () => {
    const stuck = new PlayedShop();
    stuck.wires.length = 0;
    stuck.unreachable = new Error("away");
    stuck.dial.start();
    await stuck.settled();
    await stuck.dial.close();
    expect(stuck.connects).toBe(1);
  });
});

describe("a copy of an agent's folder", () => {
  it("is another folder, and the original stays what it was", async () => {
    const original = await shop.ready();
    const { folder } = original.hello;
    await original.perform("a-1", shiftDocument("open-shift"));
    const copy = new PlayedShop({ clock: shop.clock, data: shop.copy() });
    const wire = await copy.ready();
    expect(wire.hello.folder).not.toBe(folder);
    expect(wire.hello).toMatchObject({ agent: "agent-1", epoch: 1 });
    expect(copy.record.wasCopied).toBe(true);
    original.memory.cut();
    await shop.settled();
    await nextTry();
    expect((await shop.ready()).hello.folder).toBe(folder);
  });

  it("that an older one has replaced never says never of what it may lack", async () => {
    const wire = await shop.ready();
    expect((await wire.ask({ do: "recall", attempt: "a-1" })).result).toEqual({ kind: "never" });
    wire.memory.server.close(4409, "");
    await shop.settled();
    await nextTry();
    // A person has accepted this copy.
    const next = await shop.ready();
    expect(next.hello.folder).toBe(wire.hello.folder);
    expect((await next.ask({ do: "recall", attempt: "a-2" })).result).toEqual({ kind: "unknown" });
    expect((await next.perform("a-3", shiftDocument("open-shift"))).result).toMatchObject({ kind: "done" });
    expect((await next.ask({ do: "recall", attempt: "a-3" })).result).toMatchObject({ kind: "outcome" });
  });

  it("whose record an older one was copied over is another folder, although the epoch is the same", async () => {
    const original = await shop.ready();
    const { folder } = original.hello;
    await original.perform("a-1", shiftDocument("open-shift"));
    const files = ["", "-wal", "-shm"].map((end) => `${shop.folder.record}${end}`);
    const older = files.map((file) => readFileSync(file));
    await original.perform("a-2", shiftDocument("close-shift"));
    await shop.kill();
    for (const [at, file] of files.entries()) writeFileSync(file, older[at] ?? "");
    const restored = new PlayedShop({ clock: shop.clock, data: shop.folder.path });
    expect(restored.record.find("a-1")).toMatchObject({ state: "done" });
    expect(restored.record.find("a-2")).toBe(undefined);
    const wire = await restored.ready(2);
    expect(wire.hello).toMatchObject({ epoch: 1 });
    expect(wire.hello.folder).not.toBe(folder);
    await restored.kill();
    // Once the agent is another copy it stays so, also after a restart.
    const next = new PlayedShop({ clock: shop.clock, data: shop.folder.path });
    expect((await next.ready(3)).hello.folder).toBe(wire.hello.folder);
  });

  it("that was never welcomed under its id lacks nothing that was sent to it", async () => {
    shop.dial.start();
    await shop.settled();
    shop.wire.challenge();
    await shop.wire.until(({ hello }) => hello !== undefined);
    shop.wire.memory.server.close(4409, "");
    await shop.settled();
    await nextTry();
    const next = await shop.ready();
    expect((await next.ask({ do: "recall", attempt: "a-1" })).result).toEqual({ kind: "never" });
  });
});
