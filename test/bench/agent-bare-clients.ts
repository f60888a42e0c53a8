import { createInterface } from "node:readline";
import { WebSocket } from "ws";
import { systemClock } from "../../src/kernel/clock.ts";
import { PING_MS } from "./agent-hub.ts";

/**
 * `agent-bare-clients.ts COUNT`: after `dial URL` it opens so many WebSocket connections, each with pings like an agent's. It prints a line
 * when all are open. A frame that begins with a number is answered with so many characters.
 */
const count = Number(process.argv[2]);
print({ clients: count });
for await (const command of createInterface({ input: process.stdin })) {
  const url = command.slice("dial ".length).replace("http:", "ws:");
  let open = 0;
  for (let made = 0; made < count; made += 1) {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    socket.on("message", (data) => socket.send("x".repeat(Number.parseInt(String(data), 10))));
    socket.on("open", () => {
      open += 1;
      beat(socket);
      if (open === count) print({ connected: count });
    });
  }
}

function beat(socket: WebSocket): void {
  systemClock.after(PING_MS, () => {
    socket.ping();
    beat(socket);
  });
}

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
