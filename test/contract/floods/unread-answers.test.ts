import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readSendQueues, type SendQueues } from "../../../src/http/connection/send-queues.ts";
import { HttpServer } from "../../../src/http/server.ts";
import { unprovedRequestOf } from "../../../src/http/unproved-request.ts";
import { type Clock, nextTurn } from "../../../src/kernel/clock.ts";
import { keptLog } from "../../support/http-server.ts";
import { HurriedClock } from "../../support/hurried-clock.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const PAGE = Buffer.alloc(200 * 1024, "a");
/** No system takes this page as a whole. */
const LONG_PAGE = Buffer.alloc(16 * 1024 * 1024, "a");
/** A connection asks for so many pages that no system takes them all. */
const PAGES = 100;
const get = (headers = "") => `GET /page HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;
/** What the caller's system takes before the caller reads, 256 KiB, and the page that may begin then. */
const MOST_ANSWERED = 12;
/** As many looks as the server takes in some moments, when its clock hurries. */
const LOOKS = 20;

let server: HttpServer;
let clock: HurriedClock;
let port = 0;
let answered = 0;
let sockets: Socket[] = [];

async function start(limits: { headersTimeoutMs?: number; clock?: Clock } = {}): Promise<void> {
  [answered, sockets, clock] = [0, [], new HurriedClock()];
  server = new HttpServer({
    application: (request, response) => {
      answered += 1;
      if (request.headers.authorization === "key") unprovedRequestOf(response)?.prove();
      const page = request.url === "/long" ? LONG_PAGE : PAGE;
      response.setHeader("Content-Length", page.length);
      response.end(page);
    },
    log: keptLog().log,
    clock,
    ...limits,
  });
  ({ port } = await server.listen("127.0.0.1", 0));
}

beforeEach(() => start());
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await end();
});

async function end(): Promise<void> {
  clock.hurry();
  await server.close(1_000);
}

async function open(): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  sockets.push(socket);
  socket.on("error", () => socket.destroy());
  await once(socket, "connect");
  return socket;
}

/** Waits until no further request is answered. */
async function untilQuiet(): Promise<void> {
  for (let turns = 0, before = -1; turns < 200; turns += 1) {
    await nextTurn();
    if (answered !== before) turns = 0;
    before = answered;
  }
}

describe.runIf(process.platform === "linux")("a stranger that pipelines requests for pages", () => {
  it("gets no further page while it does not read", async () => {
    const socket = (await open()).pause();
    socket.write(get().repeat(PAGES));
    clock.hurry();
    for (let looks = 0; looks < LOOKS; looks += 1) await readSendQueues();
    expect(answered).toBeLessThanOrEqual(MOST_ANSWERED);
  });

  it("gets all pages when it reads, one look at the system after the other", async () => {
    const socket = await open();
    let bytes = 0;
    const all = new Promise<void>((resolve) => {
      socket.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > 10 * PAGE.length) resolve();
      });
    });
    clock.hurry();
    socket.write(get().repeat(10));
    await all;
    expect(answered).toBe(10);
  });

  it("and reads them does not delay a caller that proves a request on the same connection, like behind a proxy", async () => {
    await end();
    // The clock does not go on, so nobody asks the system whether the pages were taken.
    const standing = new VirtualClock(0);
    await start({ clock: standing });
    const socket = await open();
    let bytes = 0;
    const arrived = async (pages: number) => {
      while (bytes < pages * PAGE.length) bytes += ((await once(socket, "data")) as [Buffer])[0].length;
    };
    for (const pages of [1, 2]) {
      socket.write(get());
      await arrived(pages);
    }
    socket.write(get("Authorization: key\r\n"));
    await arrived(3);
    expect(answered).toBe(3);
    socket.destroy();
    const closed = server.close(1_000);
    await standing.advance(2_000);
    await closed;
  });

  it("does not count as handled while its answer waits for it, so newcomers go on being answered", async () => {
    await end();
    // The clock does not go on, so no handling becomes a slow one.
    const standing = new VirtualClock(0);
    await start({ clock: standing });
    for (let strangers = 0; strangers < 6; strangers += 1) {
      (await open()).pause().write("GET /long HTTP/1.1\r\nHost: a\r\n\r\n");
    }
    await untilQuiet();
    const newcomer = await open();
    newcomer.write(get("Authorization: key\r\n"));
    const [first] = (await once(newcomer, "data")) as [Buffer];
    expect(first.toString("latin1")).toMatch(/^HTTP\/1.1 200 /);
    for (const socket of sockets) socket.destroy();
    const closed = server.close(1_000);
    await standing.advance(2_000);
    await closed;
  });

  it("does not delay a caller that has proved a request", async () => {
    const socket = await open();
    let bytes = 0;
    const all = new Promise<void>((resolve) => {
      socket.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > 50 * PAGE.length) resolve();
      });
    });
    // The clock does not go on, so nobody asks the system.
    socket.write(get("Authorization: key\r\n").repeat(50));
    await all;
    expect(answered).toBe(50);
  });
});

describe.runIf(process.platform === "linux")("a stranger that does not read its last answer", () => {
  it.each([
    ["asked for the end of the connection", get("Connection: close\r\n")],
    ["spoke HTTP/1.0", "GET /page HTTP/1.0\r\n\r\n"],
  ])("and %s keeps its connection until it has read, and then sees its end", async (_how, request) => {
    const socket = (await open()).pause();
    socket.write(request);
    await untilQuiet();
    expect(server.openConnections).toBe(1);
    let bytes = 0;
    socket.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    socket.resume();
    await once(socket, "end");
    expect(bytes).toBeGreaterThan(PAGE.length);
  });

  it("is reset when the time for silent connections is over, and the system keeps nothing for it", async () => {
    await end();
    await start({ headersTimeoutMs: 200 });
    const callers: Socket[] = [];
    for (let each = 0; each < 20; each += 1) {
      const socket = (await open()).pause();
      socket.write(`${get()}${get("Connection: close\r\n")}`);
      callers.push(socket);
    }
    await untilQuiet();
    const held = async () => sumOf((await readSendQueues()) as SendQueues, callers);
    clock.hurry();
    while (server.openConnections > 0) await nextTurn();
    expect(await held()).toBe(0);
  });
});

/** The bytes that the system holds on the server's side of these callers. */
function sumOf(queues: SendQueues, callers: readonly Socket[]): number {
  return callers.reduce(
    (sum, { localPort: remotePort }) =>
      sum + queues.bytesOf({ localAddress: "127.0.0.1", localPort: port, remoteAddress: "127.0.0.1", remotePort }),
    0,
  );
}
