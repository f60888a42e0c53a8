import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { CallerConnection } from "../../src/http/caller-connection.ts";
import { HttpServer } from "../../src/http/server.ts";
import { unprovedRequestOf } from "../../src/http/unproved-request.ts";
import { nextTurn, systemClock } from "../../src/kernel/clock.ts";
import { callerConnection } from "../support/caller-connection.ts";
import { EXTENT, sample } from "../support/extent.ts";
import { keptLog } from "../support/http-server.ts";
import { HurriedClock } from "../support/hurried-clock.ts";

/** The number of the server's places. It is small, so that a flood needs few connections. */
const PLACES = 16;
/** The largest number of open connections: one with a parser for each place, and two without a parser. */
const MOST_OPEN = 3 * PLACES;
const FLOOD = 4 * PLACES;

const KEYED = "GET /keyed HTTP/1.1\r\nHost: a\r\nAuthorization: key\r\n\r\n";
const HELD_BY_KEY = "GET /held HTTP/1.1\r\nHost: a\r\nAuthorization: key\r\n\r\n";
const HELD = "GET /held HTTP/1.1\r\nHost: a\r\n\r\n";
/** A request that is proved when its whole body is there, as a sale is. */
const SIGNED = "POST /signed HTTP/1.1\r\nHost: a\r\nAuthorization: key\r\nContent-Length: 10\r\n\r\n1234567890";
const PLAIN = "GET /plain HTTP/1.1\r\nHost: a\r\n\r\n";

/** Connections that need no key and never end by themselves, by what they send. */
const FLOODS: readonly [string, (socket: Socket) => void][] = [
  ["say nothing", () => {}],
  ["have asked once", (socket) => void socket.write(PLAIN)],
  ["have sent half of their headers", (socket) => void socket.write(PLAIN.slice(0, 20))],
  ["have sent half of a body", (socket) => void socket.write("POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12345")],
  ["have broken off a body", (socket) => void socket.end("POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12345")],
  ["read no answer", (socket) => void socket.pause().write(PLAIN)],
];

type HttpServerOptions = ConstructorParameters<typeof HttpServer>[0];

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function start(options: Partial<Pick<HttpServerOptions, "headersTimeoutMs" | "maxConnections" | "onCrowd" | "upgrades">> = {}) {
  const { log, lines } = keptLog();
  const clock = new HurriedClock();
  let heldByKey = 0;
  const { promise: released, resolve: letGo } = Promise.withResolvers<void>();
  const server = new HttpServer({
    // A request with a key is proved. A request without one is answered too, a held one when the test lets it go.
    application(request, response) {
      const prove = () => unprovedRequestOf(response)?.prove();
      if (request.headers.authorization === "key" && request.url !== "/signed") prove();
      if (request.url === "/held") unprovedRequestOf(response)?.setAside();
      if (request.url === "/held" && request.headers.authorization === "key") heldByKey += 1;
      request.resume();
      if (request.url === "/signed") request.once("end", prove);
      request.once("end", () => void (request.url === "/held" ? released : Promise.resolve()).then(() => response.end("answered")));
    },
    log,
    clock,
    maxConnections: PLACES,
    ...options,
  });
  const { port } = await server.listen("127.0.0.1", 0);
  ends.push(() => {
    clock.hurry();
    return server.close(1_000);
  });
  const open = async () => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => socket.destroy());
    ends.push(() => void socket.destroy());
    await once(socket, "connect");
    return socket;
  };
  return { server, port, open, lines, letGo, heldByKey: () => heldByKey };
}

/** Returns the next answer. Undefined: the connection was closed instead. */
async function ask(socket: Socket, request: string): Promise<string | undefined> {
  const answer = Promise.race([once(socket, "data").then(([chunk]) => String(chunk)), once(socket, "close").then(() => undefined)]);
  socket.write(request);
  return answer;
}

/** Resolves when the condition holds. The test's time limit ends the waiting. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await nextTurn();
}

describe.each(sample(FLOODS, 3))("a flood of connections that %s", (_what, live) => {
  it("closes no connection whose last request was proved", async () => {
    const { server, open } = await start();
    const till = await open();
    expect(await ask(till, KEYED)).toContain("200 OK");
    for (let opened = 0; opened < FLOOD; opened += 1) live(await open());
    expect(await ask(till, KEYED)).toContain("200 OK");
    expect(server.openConnections).toBeLessThanOrEqual(MOST_OPEN);
  });

  it.each([20, SIGNED.length - 5])("closes no connection whose last request was proved while the next arrives: %i bytes", async (sent) => {
    const { open, heldByKey } = await start();
    const till = await open();
    expect(await ask(till, SIGNED)).toContain("200 OK");
    till.write(SIGNED.slice(0, sent));
    // Idle ones with a proof make way before it, although they are younger.
    for (let opened = 0; opened < 2; opened += 1) expect(await ask(await open(), SIGNED)).toContain("200 OK");
    for (let opened = 0; opened < FLOOD; opened += 1) live(await open());
    for (let held = 1; held <= PLACES - 2; held += 1) {
      (await open()).write(HELD_BY_KEY);
      await until(() => held === heldByKey());
    }
    expect(await ask(till, SIGNED.slice(sent))).toContain("200 OK");
  });

  it("keeps no newcomer out that shows a key", async () => {
    const { open } = await start();
    for (let opened = 0; opened < FLOOD; opened += 1) live(await open());
    for (let sales = 0; sales < PLACES / 2; sales += 1) {
      expect(await ask(await open(), KEYED)).toContain("200 OK");
      live(await open());
    }
  });

  it("leaves nothing behind", async () => {
    const { server, open } = await start();
    const flood: Socket[] = [];
    for (let opened = 0; opened < FLOOD; opened += 1) {
      const socket = await open();
      live(socket);
      flood.push(socket);
    }
    for (const socket of flood) socket.destroy();
    await until(() => server.openConnections === 0 && server.running === 0);
    expect(server.heldBytes).toEqual({ unread: 0, bodies: 0, unsent: 0 });
  });
});

describe("connections without a request", () => {
  it("are closed when the time for headers is over", async () => {
    const { server, open } = await start({ headersTimeoutMs: 50 });
    const silent = await open();
    await once(silent.resume(), "close");
    expect(server.openConnections).toBe(0);
  });

  it("may end at once, also by a reset", async () => {
    const { server, open } = await start();
    for (let opened = 0; opened < FLOOD; opened += 1) (await open()).end();
    for (let opened = 0; opened < FLOOD; opened += 1) {
      const socket = await open();
      socket.write(PLAIN);
      socket.resetAndDestroy();
    }
    await until(() => server.openConnections === 0 && server.running === 0);
    expect(await ask(await open(), KEYED)).toContain("200 OK");
  });

  it("are told when they are more than tills need, and when no longer", async () => {
    const told: boolean[] = [];
    const { open } = await start({ onCrowd: (crowded) => void told.push(crowded) });
    const sockets: Socket[] = [];
    for (let opened = 0; opened < PLACES; opened += 1) sockets.push(await open());
    await until(() => told.length > 0);
    expect(told).toEqual([true]);
    for (const socket of sockets) socket.destroy();
    await until(() => told.length > 1);
    expect(told).toEqual([true, false]);
  });

  it("are told to be more than tills need when they have just changed to another protocol, and not when they have gone", async () => {
    const told: boolean[] = [];
    const taken: Socket[] = [];
    const upgrades = { takes: () => true, take: (_request: unknown, socket: Socket) => void taken.push(socket) };
    const { open } = await start({ onCrowd: (crowded) => void told.push(crowded), upgrades });
    for (let opened = 1; opened <= PLACES; opened += 1) {
      (await open()).write("GET /other HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n");
      await until(() => taken.length === opened);
    }
    expect(told).toEqual([true]);
    for (const socket of taken) socket.destroy();
    await until(() => told.length > 1);
    expect(told).toEqual([true, false]);
  });

  it("that fill every place are logged once", async () => {
    const { open, lines } = await start();
    for (let opened = 0; opened < FLOOD; opened += 1) await open();
    await ask(await open(), KEYED);
    expect(lines.filter(({ text }) => text.startsWith("as many connections"))).toHaveLength(1);
  });
});

describe("more half bodies than there are places", () => {
  const MANY = 100;
  /** So many connections are closed at once, and then one every ten milliseconds. */
  const AT_ONCE = 50;

  it.runIf(EXTENT === "long")(
    "lose their places, and their connections only at a steady pace, so that their callers do not all come again at once",
    async () => {
      const { server, open } = await start({ maxConnections: MANY });
      const begunMs = systemClock.monotonicMs();
      let closed = 0;
      for (let opened = 0; opened < 2 * MANY; opened += 1) {
        const socket = await open();
        socket.resume().once("close", () => {
          closed += 1;
        });
        socket.write("POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12345");
      }
      await until(() => closed >= AT_ONCE);
      const most = () => AT_ONCE + (systemClock.monotonicMs() - begunMs) / 10 + 1;
      expect(closed).toBeLessThanOrEqual(most());
      expect(2 * MANY - server.openConnections).toBeLessThanOrEqual(most());
      await until(() => closed >= AT_ONCE + 20);
      expect(await ask(await open(), KEYED)).toContain("200 OK");
    },
  );
});

describe("callers whose answer takes long, and who send more meanwhile", () => {
  /** Bytes of a till's next sale; of each of the others; and as many others as have no room together. */
  const [SALE, MORE, MANY] = [80 * 1024, 40 * 1024, 260];

  it("keep no bytes of the next sale from a connection that has proved one", async () => {
    const { server, open, letGo } = await start({ maxConnections: 2 * MANY });
    const till = await open();
    expect(await ask(till, KEYED)).toContain("200 OK");
    let answers = "";
    till.on("data", (piece) => {
      answers += String(piece);
    });
    till.write(`${HELD}POST /keyed HTTP/1.1\r\nHost: a\r\nAuthorization: key\r\nContent-Length: ${SALE}\r\n\r\n${"s".repeat(SALE)}`);
    await until(() => server.heldBytes.unread > MORE);
    for (let opened = 0; opened < MANY; opened += 1) (await open()).write(`${HELD}${"x".repeat(MORE)}`);
    // Nothing more is read from some of the others.
    await until(() => server.running > 0 && server.heldBytes.unread > 8 * 1024 * 1024 - MORE && server.running < MANY - 10);
    letGo();
    await until(() => answers.split("answered").length === 3);
  });
});

describe("callers that break off one body after the other", () => {
  /** More connections than are closed at once. */
  const BROKEN_OFF = 60;
  /** More places than these callers fill, so that none is closed because the places are taken. */
  const MOST = 200;

  it.runIf(EXTENT === "long")("are closed at a steady pace, and nothing that they sent is kept until then", async () => {
    const { server, port } = await start({ maxConnections: MOST });
    const begunMs = systemClock.monotonicMs();
    const ends = Array.from({ length: BROKEN_OFF }, async () => {
      const socket = connect(port, "127.0.0.1");
      await once(socket, "connect");
      socket.resume().end(`POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n${"x".repeat(50_000)}`);
      await once(socket, "close");
    });
    await until(() => server.openConnections > 0 && server.running === 0 && server.heldBytes.bodies === 0);
    await Promise.all(ends);
    expect(systemClock.monotonicMs() - begunMs).toBeGreaterThan(50);
    await until(() => server.openConnections === 0);
    expect(server.heldBytes).toEqual({ unread: 0, bodies: 0, unsent: 0 });
  });
});

describe("a newcomer", () => {
  /** A connection as the server sees it. Its parser accepts all bytes. */
  async function inletOf(bytes: string): Promise<CallerConnection> {
    const arrived = Promise.withResolvers<Socket>();
    const door = createServer((socket) => arrived.resolve(socket)).listen(0, "127.0.0.1");
    await once(door, "listening");
    const caller = connect((door.address() as AddressInfo).port, "127.0.0.1");
    ends.push(
      () => void caller.destroy(),
      () => void door.close(),
    );
    caller.write(bytes);
    const connection = callerConnection(await arrived.promise, systemClock);
    ends.push(() => void connection.destroy());
    let taken = 0;
    connection.on("data", (piece: Buffer) => {
      taken += piece.length;
    });
    await until(() => taken === bytes.length);
    return connection;
  }

  it("whose headers are as short as the platform's keeps its place before those who have proved nothing", async () => {
    expect((await inletOf(PLAIN)).standing).toBe("new");
  });

  it("of which nothing is read any more keeps its connection, and what it sent is let go of", async () => {
    const connection = await inletOf(PLAIN);
    const socket = connection.release();
    expect(connection.destroyed).toBe(true);
    expect(connection.unreadBytes).toBe(0);
    expect([socket.destroyed, socket.readableLength]).toEqual([false, 0]);
    socket.destroy();
  });

  it("that is asked to end again and again is listened to no more than once", async () => {
    const connection = await inletOf(`${PLAIN}GET`);
    for (let asked = 0; asked < 20; asked += 1) connection.destroySoon();
    await until(() => connection.writableFinished);
    expect(connection.listenerCount("close")).toBeLessThan(10);
    expect(connection.listenerCount("finish")).toBeLessThan(10);
  });

  it("whose headers are longer than any of the platform's loses it", async () => {
    expect((await inletOf(`GET / HTTP/1.1\r\n${"a:b\r\n".repeat(1_000)}`)).standing).toBe("unproved");
  });
});
