import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { ClosingDelay } from "../../../src/http/closing-delay.ts";
import { Connections } from "../../../src/http/connections.ts";
import { ParseOrder } from "../../../src/http/parse-order.ts";
import { ProvedNetworks } from "../../../src/http/proved-networks.ts";
import { nextTurn } from "../../../src/kernel/clock.ts";
import { keptLog } from "../../support/http-server.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const SILENT_LIMIT_MS = 10_000;
const PAGE_BYTES = 200_000;

/** A stranger's connection that was ended after a page. The system holds as many bytes of it as a test says. */
async function ended() {
  const clock = new VirtualClock(0);
  const system = { leftBytes: PAGE_BYTES };
  const connections = new Connections({
    clock,
    log: keptLog().log,
    parseOrder: new ParseOrder(clock),
    closingDelay: new ClosingDelay(clock),
    provedNetworks: new ProvedNetworks(),
    silentLimitMs: SILENT_LIMIT_MS,
    readQueues: async () => ({ bytesOf: () => system.leftBytes }),
    onCrowd: () => {},
  });
  const sockets: Socket[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    connections.admit(socket, (connection) => {
      connection.write(Buffer.alloc(PAGE_BYTES));
      connection.destroySoon();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  // The caller's system has taken the whole page. The caller keeps its own end open, as one that still reads would.
  const caller = connect({ port, host: "127.0.0.1", allowHalfOpen: true }).on("error", () => {});
  onTestFinished(() => {
    caller.destroy();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  caller.write("x");
  caller.resume();
  await once(caller, "end");
  return { clock, connections, system, pass: (ms: number) => passed(clock, ms) };
}

async function passed(clock: VirtualClock, ms: number): Promise<void> {
  await clock.advance(ms);
  for (let turns = 0; turns < 5; turns += 1) await nextTurn();
}

describe("a stranger's connection that the server has ended", () => {
  it("stays open while its caller goes on taking its answers, longer than a silent connection", async () => {
    const { connections, system, pass } = await ended();
    for (let second = 1; second <= 40; second += 1) {
      system.leftBytes -= 4_000;
      await pass(1_000);
      expect([second, connections.count]).toEqual([second, 1]);
    }
    system.leftBytes = 1;
    await pass(1_000);
    expect(connections.count).toBe(0);
  });

  it("is closed like a silent connection when its caller takes nothing", async () => {
    const { connections, pass } = await ended();
    await pass(SILENT_LIMIT_MS - 1_000);
    expect(connections.count).toBe(1);
    // The end of the connection came after the 2 s in which the server waited for the rest of the request.
    await pass(4_000);
    expect(connections.count).toBe(0);
  });

  it("is closed after a minute when its caller takes a byte now and then", async () => {
    const { connections, system, pass } = await ended();
    for (let second = 1; second <= 55; second += 1) {
      system.leftBytes -= 1;
      await pass(1_000);
    }
    expect(connections.count).toBe(1);
    for (let second = 1; second <= 10; second += 1) {
      system.leftBytes -= 1;
      await pass(1_000);
    }
    expect(connections.count).toBe(0);
  });
});
