import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HttpServer } from "../../../src/http/server.ts";
import { nextTurn, systemClock } from "../../../src/kernel/clock.ts";
import { keptLog } from "../../support/http-server.ts";

/** Less than the most that a stranger may leave untaken, and more than the caller's system takes by itself. */
const PAGE = Buffer.alloc(250 * 1024, "a");
const GET = "GET /page HTTP/1.1\r\nHost: a\r\n\r\n";
const SMALL = "GET /small HTTP/1.1\r\nHost: a\r\n\r\n";
const PAGES = 20;
const UPGRADE = "Host: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";

let server: HttpServer;
let port = 0;
let taken: { url: string | undefined; socket: Socket }[] = [];
let callers: Socket[] = [];

beforeEach(async () => {
  [taken, callers] = [[], []];
  server = new HttpServer({
    application: ({ url }, response) => void response.end(url === "/page" ? PAGE : "small"),
    log: keptLog().log,
    clock: systemClock,
    upgrades: { takes: () => true, take: ({ url }, socket) => void taken.push({ url, socket }) },
  });
  ({ port } = await server.listen("127.0.0.1", 0));
});
afterEach(async () => {
  for (const socket of [...callers, ...taken.map((each) => each.socket)]) socket.destroy();
  await server.close(1_000);
});

async function open(): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  callers.push(socket.on("error", () => socket.destroy()).pause());
  await once(socket, "connect");
  return socket;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await nextTurn();
}

describe("a connection that is to be given away for another protocol", () => {
  it("stays with the server until its caller has taken the answers before", async () => {
    const slow = await open();
    slow.write(`${GET}GET /late HTTP/1.1\r\n${UPGRADE}`);
    const quick = (await open()).resume();
    for (let asked = 0; asked < PAGES; asked += 1) {
      quick.write(SMALL);
      await once(quick, "data");
    }
    quick.write(`GET /quick HTTP/1.1\r\n${UPGRADE}`);
    await until(() => taken.length > 0);
    expect(taken.map(({ url }) => url)).toEqual(["/quick"]);
    slow.resume();
    await until(() => taken.length === 2);
    expect(taken.map(({ url }) => url)).toEqual(["/quick", "/late"]);
  });

  it("keeps the bytes that come meanwhile", async () => {
    const slow = await open();
    slow.write(`${GET}GET /late HTTP/1.1\r\n${UPGRADE}first `);
    for (let turns = 0; turns < PAGES; turns += 1) await nextTurn();
    slow.write("second");
    slow.resume();
    await until(() => taken.length === 1);
    let bytes = "";
    taken[0]?.socket.on("data", (piece) => {
      bytes += String(piece);
    });
    await until(() => bytes.length >= "first second".length);
    expect(bytes).toBe("first second");
  });

  it("is forgotten when its caller goes meanwhile", async () => {
    const slow = await open();
    slow.write(`${GET}GET /late HTTP/1.1\r\n${UPGRADE}`);
    await until(() => server.openConnections === 1);
    for (let turns = 0; turns < PAGES; turns += 1) await nextTurn();
    slow.resetAndDestroy();
    await until(() => server.openConnections === 0);
    expect(taken).toEqual([]);
  });
});
