import { generateKeyPairSync, randomBytes, randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import { systemClock } from "../../../src/kernel/clock.ts";
import { type Attack, asking, reading, requestOf } from "./attack.ts";

const CONNECT = "GET /agents/connect";
const UPGRADE = {
  Connection: "Upgrade",
  Upgrade: "websocket",
  "Sec-WebSocket-Version": 13,
  "Sec-WebSocket-Key": randomBytes(16).toString("base64"),
};
const AS_AGENT = requestOf(CONNECT, { ...UPGRADE, "Sec-WebSocket-Protocol": "fiscal-agent.v1" });
const AS_OTHER = requestOf(CONNECT, UPGRADE);
/** The shortest ping, masked as a client's frames are. */
const PING = Buffer.from([0x89, 0x80, 0, 0, 0, 0]);
/** As many pings as fit into the bytes that a stranger may send. */
const PINGS = Buffer.concat(Array.from({ length: 5_000 }, () => PING));
const PUBLIC_KEY = generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "der" }).toString("base64");
/** It takes the server about a second to open a thousand connections, and it closes those that say nothing for five. */
const HERD_MS = 3_000;
/** More addresses than sources that the server remembers at once would need. */
const MANY_ADDRESSES = 1_000;

/** Attacks on the address at which agents dial. */
export const UPGRADE_ATTACKS: readonly Attack[] = [
  {
    name: "upgrades-dropped",
    about: "opens agents' connections and drops each of them at once",
    connections: 100,
    live: (socket) => onceOpen(socket, () => void socket.destroy()),
  },
  {
    name: "upgrades-held",
    about: "opens more agents' connections than strangers may have and says nothing",
    connections: 1_500,
    live: (socket) => onceOpen(socket, () => {}),
  },
  {
    name: "upgrades-with-pings",
    about: "opens agents' connections and sends as many pings as fit",
    connections: 1_000,
    live: (socket) => onceOpen(socket, () => void socket.write(PINGS)),
  },
  {
    name: "upgrades-with-hellos",
    about: "opens agents' connections and says hello as an agent that nobody knows",
    connections: 100,
    live(socket) {
      onceOpen(socket, (challenge) => {
        const server = /"server":"([^"]+)"/.exec(challenge)?.[1] ?? "";
        socket.write(frameOf(JSON.stringify(helloTo(server))));
      });
    },
  },
  {
    name: "upgrades-with-hellos-at-once",
    about: "opens agents' connections, holds back their hellos and sends all of them at the same moment",
    connections: 1_000,
    live(socket) {
      onceOpen(socket, (challenge) => {
        const server = /"server":"([^"]+)"/.exec(challenge)?.[1] ?? "";
        // All connections write at the same tick of the wall clock.
        const waitMs = HERD_MS - (systemClock.nowMs() % HERD_MS);
        systemClock.after(waitMs, () => void socket.write(frameOf(JSON.stringify(helloTo(server)))));
      });
    },
  },
  {
    name: "upgrades-to-others",
    about: "asks for a WebSocket of another subprotocol",
    connections: 100,
    live(socket) {
      reading(socket);
      socket.write(AS_OTHER);
    },
  },
  {
    name: "half-upgrades",
    about: "sends half of the request for an agent's connection and waits",
    connections: 1_500,
    live(socket) {
      reading(socket);
      socket.write(AS_AGENT.subarray(0, AS_AGENT.length / 2));
    },
  },
  {
    name: "wrong-codes",
    about: "enrols with codes that nobody has given out",
    connections: 100,
    addresses: MANY_ADDRESSES,
    live: (socket) =>
      asking(socket, () => {
        const body = JSON.stringify({ code: randomBytes(10).toString("hex"), publicKey: PUBLIC_KEY, version: "1", host: "shop" });
        return requestOf("POST /agents/enrol", { "Content-Type": "application/json", "Content-Length": body.length }, body);
      }),
  },
];

/** Calls `then` with the first frame when the server has opened the connection. */
function onceOpen(socket: Socket, then: (frame: string) => void): void {
  let isOpen = false;
  let text = "";
  reading(socket);
  socket.on("data", (chunk: Buffer) => {
    text = isOpen ? "" : text + chunk.toString("latin1");
    if (isOpen || !text.includes("challenge")) return;
    isOpen = true;
    then(text);
  });
  socket.write(AS_AGENT);
}

function helloTo(server: string): object {
  return {
    hello: {
      agent: randomUUID(),
      server,
      epoch: 1,
      folder: randomUUID(),
      boot: randomUUID(),
      version: "1",
      protocol: [1, 1],
      features: [],
      registers: [{ name: "register", scheme: "shtrih-m" }],
      signature: randomBytes(64).toString("base64"),
    },
  };
}

/** A client's text frame of up to 65,535 bytes, with a mask of zeros. */
function frameOf(text: string): Buffer {
  const body = Buffer.from(text);
  const length = body.length < 126 ? Buffer.from([0x80 | body.length]) : Buffer.from([0x80 | 126, body.length >> 8, body.length & 0xff]);
  return Buffer.concat([Buffer.from([0x81]), length, Buffer.alloc(4), body]);
}
