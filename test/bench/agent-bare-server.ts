import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { type WebSocket, WebSocketServer } from "ws";
import { systemClock } from "../../src/kernel/clock.ts";
import { PING_MS } from "./agent-hub.ts";
import { heldMemory } from "./used-memory.ts";

/**
 * `agent-bare-server.ts`: accepts connections with the heartbeat of ws's documentation, and does nothing else. Prints its address. Each
 * line of input is answered with the memory that has been added since the start, and the number of connections.
 */
const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
const heard = new WeakSet<WebSocket>();
server.on("connection", (socket) => {
  heard.add(socket);
  socket.on("pong", () => heard.add(socket));
  socket.on("error", () => socket.terminate());
});
server.on("listening", () => print({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
beat();
const before = heldMemory();
for await (const _ of createInterface({ input: process.stdin })) print({ bytes: heldMemory() - before, connected: server.clients.size });

function beat(): void {
  for (const socket of server.clients) {
    if (!heard.delete(socket)) socket.terminate();
    else socket.ping();
  }
  systemClock.after(PING_MS, beat);
}

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
