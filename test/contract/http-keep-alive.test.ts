import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { HttpServer } from "../../src/http/server.ts";
import { nextTurn } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { callerConnection } from "../support/caller-connection.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const REQUEST = "GET /plain HTTP/1.1\r\nHost: a\r\n\r\n";
/** The time that the server allows between two requests of a connection, and the second that Node adds. */
const KEEP_ALIVE_MS = 75_000;
const NODE_ADDS_MS = 1_000;
const EVERY_MS = 15_000;

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Resolves when the condition holds. The test's time limit ends the waiting. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await nextTurn();
}

function open(port: number): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => socket.destroy());
  ends.push(() => void socket.destroy());
  return socket;
}

describe("bytes between two requests", () => {
  /** A connection after an answer, which may be idle for a time. `send` resolves when Node has received the bytes. */
  async function idle() {
    const clock = new VirtualClock(0);
    const arrived = Promise.withResolvers<Socket>();
    const door = createServer((socket) => arrived.resolve(socket)).listen(0, "127.0.0.1");
    ends.push(() => void door.close());
    await once(door, "listening");
    const caller = open((door.address() as AddressInfo).port);
    const connection = callerConnection(await arrived.promise, clock);
    ends.push(() => void connection.destroy());
    let taken = 0;
    connection.on("data", (piece: Buffer) => {
      taken += piece.length;
    });
    let timedOut = false;
    connection.on("timeout", () => {
      timedOut = true;
    });
    connection.setTimeout(KEEP_ALIVE_MS);
    const send = async (bytes: string) => {
      const all = taken + bytes.length;
      caller.write(bytes);
      await until(() => taken === all);
    };
    return { clock, send, timedOut: () => timedOut, connection };
  }

  it.each([
    ["a line break", "\r\n"],
    ["a bare line feed", "\n"],
    ["a bare carriage return", "\r"],
    ["many line breaks", "\r\n".repeat(3_000)],
  ])("that are no request do not prolong its life: %s", async (_what, bytes) => {
    const { clock, send, timedOut } = await idle();
    for (let afterMs = EVERY_MS; afterMs < KEEP_ALIVE_MS; afterMs += EVERY_MS) {
      await clock.advance(EVERY_MS);
      await send(bytes);
    }
    await clock.advance(EVERY_MS - 1);
    expect(timedOut()).toBe(false);
    await clock.advance(1);
    expect(timedOut()).toBe(true);
  });

  it.each([
    ["its first letter", "G"],
    ["a line break and its first letter", "\r\nG"],
    ["the whole", REQUEST],
  ])("that begin a request leave the time to the limit for headers: %s", async (_what, bytes) => {
    const { clock, send, timedOut } = await idle();
    await clock.advance(KEEP_ALIVE_MS - 1);
    await send(bytes);
    await clock.advance(KEEP_ALIVE_MS);
    expect(timedOut()).toBe(false);
  });

  it("leave no timer behind when the connection is closed", async () => {
    const { clock, connection, timedOut } = await idle();
    connection.destroy();
    connection.setTimeout(KEEP_ALIVE_MS);
    await clock.advance(2 * KEEP_ALIVE_MS);
    expect(timedOut()).toBe(false);
  });
});

describe("a connection to the server", () => {
  async function answered() {
    const clock = new VirtualClock(0);
    const server = new HttpServer({
      application: (request, response) => void request.resume().once("end", () => response.end("answered")),
      log: silentLog,
      clock,
    });
    const { port } = await server.listen("127.0.0.1", 0);
    ends.push(async () => {
      const closed = server.close(1_000);
      await clock.advance(10_000);
      await closed;
    });
    const socket = open(port);
    let answers = 0;
    socket.on("data", (chunk) => {
      answers += String(chunk).split("200 OK").length - 1;
    });
    const ask = async (request: string) => {
      const due = answers + 1;
      socket.write(request);
      await until(() => answers === due);
      await until(() => server.running === 0);
    };
    await ask(REQUEST);
    return { clock, server, socket, ask };
  }

  it("is closed when nothing comes for the time of an idle one", async () => {
    const { clock, server, socket } = await answered();
    await clock.advance(KEEP_ALIVE_MS - 1);
    expect(server.openConnections).toBe(1);
    const closed = once(socket, "close");
    await clock.advance(NODE_ADDS_MS + 1);
    await closed;
    expect(server.openConnections).toBe(0);
  });

  it.each([
    ["requests", REQUEST],
    ["requests behind line breaks", `\r\n\r\n${REQUEST}`],
    ["requests with bodies", "POST /plain HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody"],
    ["requests with bodies in chunks", "POST /plain HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n"],
  ])("lives on as long as %s come, and no longer", async (_what, request) => {
    const { clock, server, socket, ask } = await answered();
    for (let asked = 0; asked < 10; asked += 1) {
      await clock.advance(KEEP_ALIVE_MS - 1);
      await ask(request);
    }
    expect(server.openConnections).toBe(1);
    const closed = once(socket, "close");
    await clock.advance(KEEP_ALIVE_MS + NODE_ADDS_MS);
    await closed;
  });
});
