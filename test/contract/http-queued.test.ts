import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readRaw } from "../../src/http/raw-body.ts";
import { HttpServer } from "../../src/http/server.ts";
import { nextTurn } from "../../src/kernel/clock.ts";
import { keptLog } from "../support/http-server.ts";
import { HurriedClock } from "../support/hurried-clock.ts";

const MAX_BYTES = 1024;
const QUEUED = 20;
/** The last chunk of the first request brings the others along, because the length of that request is not known before. */
const FIRST = "POST /slow HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
const LAST_CHUNK = "2\r\n{}\r\n0\r\n\r\n";
const NEXT = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n";
const UPGRADE = "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n";

/** What a caller sends after the queued requests, and what it does then. */
const BREAKS: readonly [string, string, (socket: Socket) => void][] = [
  ["is reset", "", (socket) => socket.resetAndDestroy()],
  ["goes on with malformed bytes", "hello\r\n\r\n", (socket) => socket.resetAndDestroy()],
  ["breaks off in a body", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n1234", (socket) => socket.resetAndDestroy()],
  ["breaks off in a chunk", `${FIRST}ff\r\n1234`, (socket) => socket.resetAndDestroy()],
  ["asks for a tunnel", "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", () => {}],
  ["is taken over for another protocol", `GET /taken HTTP/1.1\r\nHost: a\r\n${UPGRADE}`, () => {}],
  ["is refused another protocol by its owner", `GET /refused HTTP/1.1\r\nHost: a\r\n${UPGRADE}`, () => {}],
  ["asks for another protocol that is not taken", `GET /other HTTP/1.1\r\nHost: a\r\n${UPGRADE}`, (socket) => socket.resetAndDestroy()],
];
/** Ends after which the caller may still wait for its answers. */
const ENDS: typeof BREAKS = [
  ["is closed", "", (socket) => socket.destroy()],
  ["ends", "", (socket) => void socket.end()],
];

let server: HttpServer;
let clock: HurriedClock;
let port = 0;
let begun = 0;
let taken: Socket[] = [];
let closed = 0;
let slow = Promise.withResolvers<void>();

async function application(request: IncomingMessage, response: ServerResponse): Promise<void> {
  begun += 1;
  response.once("close", () => {
    closed += 1;
  });
  const body = await readRaw(request, { maxBytes: MAX_BYTES });
  if (body.kind === "aborted") return;
  if (request.url === "/slow") await slow.promise;
  response.end("answered");
}

beforeEach(async () => {
  [begun, closed, taken, slow, clock] = [0, 0, [], Promise.withResolvers<void>(), new HurriedClock()];
  server = new HttpServer({
    application: (request, response) => void application(request, response),
    log: keptLog().log,
    clock,
    upgrades: {
      takes: ({ url }) => url !== "/other",
      take: ({ url }, socket) => {
        taken.push(socket);
        if (url === "/refused") socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n");
      },
    },
  });
  ({ port } = await server.listen("127.0.0.1", 0));
});
afterEach(async () => {
  slow.resolve();
  for (const socket of taken) socket.destroy();
  clock.hurry();
  await server.close(1_000);
});

/** Resolves when the condition holds. The test's time limit ends the waiting. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await nextTurn();
}

async function open(): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => socket.destroy()).resume();
  await once(socket, "connect");
  return socket;
}

/** Sends the first request, whose answer takes long, and behind it the others with `tail`. */
async function queue(tail: string): Promise<Socket> {
  const socket = await open();
  socket.write(FIRST);
  await until(() => begun === 1);
  socket.write(`${LAST_CHUNK}${NEXT.repeat(QUEUED)}${tail}`);
  return socket;
}

describe.each(BREAKS)("a connection with requests in the queue that %s", (_how, tail, end) => {
  it("leaves none of them behind, even while the first is still worked on", async () => {
    const socket = await queue(tail);
    await until(() => begun > QUEUED);
    end(socket);
    await until(() => server.running === 0);
    expect(server.heldBytes).toMatchObject({ bodies: 0, unsent: 0 });
    // Whoever works on one of them is told, too.
    expect(closed).toBe(begun);
    socket.destroy();
  });
});

describe.each([...BREAKS, ...ENDS])("a connection with requests in the queue that %s", (_how, tail, end) => {
  it("leaves none of them behind when the first is answered meanwhile", async () => {
    const socket = await queue(tail);
    await until(() => begun > QUEUED);
    slow.resolve();
    end(socket);
    await until(() => server.running === 0);
    expect(closed).toBe(begun);
    socket.destroy();
    for (const each of taken) each.destroy();
    await until(() => server.openConnections === 0);
    expect(server.heldBytes).toEqual({ unread: 0, bodies: 0, unsent: 0 });
  });
});

describe("a request for a tunnel", () => {
  const TUNNEL = "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n";

  it("is refused", async () => {
    const socket = await open();
    const answer = once(socket, "data");
    socket.write(TUNNEL);
    expect(String(await answer)).toContain("405 Method Not Allowed");
    socket.destroy();
  });

  it("gets no answer that its caller would take for the answer to an earlier request", async () => {
    const socket = await queue(TUNNEL);
    let answers = "";
    socket.on("data", (piece) => {
      answers += String(piece);
    });
    await once(socket, "close");
    expect(answers).toBe("");
  });
});
