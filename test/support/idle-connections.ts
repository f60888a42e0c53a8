import { once } from "node:events";
import { connect } from "node:net";
import { application } from "../../src/http/application.ts";
import { HttpServer } from "../../src/http/server.ts";
import { nextTurn, pause, systemChance, systemClock } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";

const CONNECTIONS = 1_000;
/** Node marks an answered request as finished some turns after its answer. */
const SETTLE_MS = 500;

/**
 * Sends one request on each of many connections and keeps the connections. Prints how many bytes of the heap an idle connection holds on
 * average. The first argument is the length of the address, the second the length of a header.
 */
const [addressLength = 0, headerLength = 0] = process.argv.slice(2).map(Number);
const app = application({
  requestIdHeader: "x-request-id",
  mounts: [],
  log: silentLog,
  clock: systemClock,
  chance: systemChance,
  observe: () => {},
});
const server = new HttpServer({ clock: systemClock, log: silentLog, application: app });
const { host, port } = await server.listen("127.0.0.1", 0);
const before = await usedBytes();
for (let number = 0; number < CONNECTIONS; number += 1) {
  const socket = connect(port, host);
  await once(socket, "connect");
  const answered = once(socket, "data");
  socket.write(`GET /${number}${"a".repeat(addressLength)} HTTP/1.1\r\nHost: a\r\nX-Long: ${number}${"b".repeat(headerLength)}\r\n\r\n`);
  await answered;
}
await pause(systemClock, SETTLE_MS);
if (server.openConnections !== CONNECTIONS) throw new Error(`only ${server.openConnections} connections are open`);
process.stdout.write(String(Math.round(((await usedBytes()) - before) / CONNECTIONS)), () => process.exit());

async function usedBytes(): Promise<number> {
  if (gc === undefined) throw new Error("run with --expose-gc");
  gc();
  await nextTurn();
  gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
