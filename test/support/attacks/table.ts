import { randomBytes, randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { systemClock } from "../../../src/kernel/clock.ts";
import { PLATFORM_NAMES } from "../../../src/tools/sandbox/caller/names.ts";
import { type Attack, type AttackTarget, asking, pouring, reading, requestOf } from "./attack.ts";
import { KEPT_ATTACKS } from "./kept.ts";
import { PAGE_ATTACKS } from "./pages.ts";
import { SALE, saleHead } from "./sale-head.ts";
import { SPREAD_ATTACKS } from "./spread.ts";
import { UPGRADE_ATTACKS } from "./upgrades.ts";

const { vendorSuffix } = PLATFORM_NAMES.canonical;
const MEBIBYTE = 1024 * 1024;
const SMALL_BODY = JSON.stringify({ name: "x".repeat(2_000) });
const LARGE_BODY = Buffer.alloc(MEBIBYTE, "a");
/** The first unpacks to 64 MiB, the second to the largest allowed body. */
const BOMB = gzipSync(Buffer.alloc(64 * MEBIBYTE), { level: 9 });
const BALLOON = gzipSync(Buffer.alloc(MEBIBYTE), { level: 9 });
const GET_DOCS = requestOf("GET /docs");
/** As many of the shortest valid request as fill a pipe. */
const SHORTEST = Buffer.from("GET / HTTP/1.1\r\nHost:\r\n\r\n".repeat(2_000));
const TOKEN = [{ alg: "HS256", typ: "JWT" }, { iat: 1_772_445_600, exp: 4_000_000_000, jti: "x" }, "no key"]
  .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
  .join(".");
/** Makes a request that names a new key. Its signature has the length of a real one. */
function qrRequest(): Buffer {
  const parts = [
    { alg: "RS256", typ: "JWT", kid: randomUUID() },
    { iss: "x", exp: 4_000_000_000, id: randomUUID() },
  ];
  const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
  const token = [...signed, randomBytes(256).toString("base64url")].join(".");
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json", "Content-Length": QR_BODY.length };
  return requestOf("POST /qr/payment/qr", headers, QR_BODY);
}
const QR_BODY = JSON.stringify({ accountId: randomUUID(), retailStoreId: randomUUID(), operationId: randomUUID(), amount: 1_000 });
/** The pause of a patient attacker between two bytes. It is below every time limit for a pause. */
const DRIP_MS = 2_000;

export const ATTACKS: readonly Attack[] = [
  {
    name: "pipelined-docs",
    about: "pipelines GET /docs and reads nothing",
    connections: 10,
    live(socket) {
      socket.pause();
      pouring(socket, Buffer.concat(Array.from({ length: 500 }, () => GET_DOCS)));
    },
  },
  {
    name: "pipelined-shortest",
    about: "pipelines the shortest requests there are and reads every answer",
    connections: 50,
    live(socket) {
      reading(socket);
      pouring(socket, SHORTEST);
    },
  },
  {
    name: "pipelined-qr-tokens",
    about: "pipelines QR payments with tokens of a key that nobody has, and reads every answer",
    connections: 60,
    live(socket) {
      reading(socket);
      pouring(socket, Buffer.concat(Array.from({ length: 100 }, qrRequest)));
    },
  },
  {
    name: "unread-answers",
    about: "asks for 100 pages and never reads",
    connections: 500,
    live(socket) {
      socket.pause();
      for (let asked = 0; asked < 100; asked += 1) socket.write(requestOf("GET /openapi.json"));
    },
  },
  {
    name: "dripping-readers",
    about: "asks for 100 pages and reads a little now and then",
    connections: 500,
    live(socket) {
      socket.pause();
      for (let asked = 0; asked < 100; asked += 1) socket.write(GET_DOCS);
      const drip = () => {
        if (socket.destroyed) return;
        socket.read(1_000);
        systemClock.after(DRIP_MS, drip);
      };
      drip();
    },
  },
  {
    name: "half-bodies",
    about: "sends a mebibyte less one byte with a known account id and waits",
    connections: 1_000,
    live(socket, target) {
      reading(socket);
      socket.write(requestOf(SALE, saleHead(target, { "Content-Length": MEBIBYTE }), LARGE_BODY.subarray(1)));
    },
  },
  {
    name: "dripped-bodies",
    about: "sends most of a body, then a byte now and then",
    connections: 1_000,
    live(socket, target) {
      reading(socket);
      socket.write(requestOf(SALE, saleHead(target, { "Content-Length": MEBIBYTE }), LARGE_BODY.subarray(100_000)));
      const drip = () => {
        if (socket.destroyed) return;
        socket.write("a");
        systemClock.after(DRIP_MS, drip);
      };
      drip();
    },
  },
  {
    name: "small-half-bodies",
    about: "sends 15 KiB of a body and waits",
    connections: 1_000,
    live(socket, target) {
      reading(socket);
      socket.write(requestOf(SALE, saleHead(target, { "Content-Length": 15 * 1024 + 1 }), LARGE_BODY.subarray(0, 15 * 1024)));
    },
  },
  ...[1, 15].map((sentKib) => ({
    name: `thousands-of-half-bodies-${sentKib}k`,
    about: `sends ${sentKib} KiB of a body of ${sentKib + 1} KiB on every connection that the server takes, and waits`,
    connections: 4_500,
    live(socket: Socket, target: AttackTarget) {
      reading(socket);
      socket.write(requestOf(SALE, saleHead(target, { "Content-Length": (sentKib + 1) * 1024 }), LARGE_BODY.subarray(0, sentKib * 1024)));
    },
  })),
  ...[2 * 15 * 1024, MEBIBYTE].map((length) => ({
    name: `ended-half-bodies-${length / 1024}k`,
    about: `sends half of a body of ${length / 1024} KiB, ends its side and comes again`,
    connections: 500,
    live(socket: Socket, target: AttackTarget) {
      reading(socket);
      socket.end(requestOf(SALE, saleHead(target, { "Content-Length": length }), LARGE_BODY.subarray(0, length / 2)));
    },
  })),
  {
    name: "few-half-bodies",
    about: "sends half of a body on eight connections, ends its side and comes again",
    connections: 8,
    live(socket, target) {
      reading(socket);
      socket.end(requestOf(SALE, saleHead(target, { "Content-Length": MEBIBYTE }), LARGE_BODY.subarray(0, MEBIBYTE / 2)));
    },
  },
  {
    name: "crumbs",
    about: "sends bodies in chunks of one byte",
    connections: 20,
    live(socket, target) {
      reading(socket);
      socket.write(requestOf(SALE, saleHead(target, { "Transfer-Encoding": "chunked" })));
      pouring(socket, Buffer.from("1\r\na\r\n".repeat(10_000)));
    },
  },
  {
    name: "crumbs-unknown",
    about: "the same for an account that is not known",
    connections: 20,
    live(socket, target) {
      reading(socket);
      const stranger = { ...target, registrationId: randomUUID() };
      socket.write(requestOf(SALE, saleHead(stranger, { "Transfer-Encoding": "chunked" })));
      pouring(socket, Buffer.from("1\r\na\r\n".repeat(10_000)));
    },
  },
  {
    name: "large-bodies",
    about: "sends bodies of nine mebibytes",
    connections: 20,
    live(socket, target) {
      reading(socket);
      const length = 9 * MEBIBYTE;
      socket.write(requestOf(SALE, saleHead(target, { "Content-Length": length })));
      for (let sent = 0; sent < length; sent += MEBIBYTE) socket.write(LARGE_BODY);
    },
  },
  {
    name: "gzip-bombs",
    about: "sends gzip bodies that unpack to 64 MiB",
    connections: 200,
    live: (socket, target) =>
      asking(socket, () => requestOf(SALE, saleHead(target, { "Content-Encoding": "gzip", "Content-Length": BOMB.length }), BOMB)),
  },
  {
    name: "gzip-balloons",
    about: "sends gzip bodies of 1 KiB that unpack to one mebibyte",
    connections: 500,
    live: (socket, target) =>
      asking(socket, () => requestOf(SALE, saleHead(target, { "Content-Encoding": "gzip", "Content-Length": BALLOON.length }), BALLOON)),
  },
  {
    name: "wrong-signatures",
    about: "sends sales of a known account with a wrong signature",
    connections: 100,
    live: (socket, target) => asking(socket, () => requestOf(SALE, saleHead(target, { "Content-Length": SMALL_BODY.length }), SMALL_BODY)),
  },
  {
    name: "wrong-signatures-large",
    about: "the same with a body of one mebibyte",
    connections: 50,
    live: (socket, target) => asking(socket, () => requestOf(SALE, saleHead(target, { "Content-Length": MEBIBYTE }), LARGE_BODY)),
  },
  {
    name: "herds",
    about: "holds back the last byte of many sales, then sends all of them at once",
    connections: 500,
    live(socket, target) {
      const send = () => {
        if (socket.destroyed) return;
        socket.write(requestOf(SALE, saleHead(target, { "Content-Length": SMALL_BODY.length }), SMALL_BODY.slice(1)));
        // All connections write at the same tick of the wall clock.
        systemClock.after(1_000 - (systemClock.nowMs() % 1_000), () => socket.write("}"));
      };
      reading(socket, send);
      send();
    },
  },
  {
    name: "unknown-accounts",
    about: "sends sales of accounts that are not known",
    connections: 100,
    live: (socket, target) =>
      asking(socket, () =>
        requestOf(SALE, saleHead({ ...target, registrationId: randomUUID() }, { "Content-Length": SMALL_BODY.length }), SMALL_BODY),
      ),
  },
  {
    name: "wrong-tokens",
    about: "calls the vendor contract with tokens that nobody has signed",
    connections: 100,
    live: (socket, { appId }) =>
      asking(socket, () =>
        requestOf(
          `PUT /vendor${vendorSuffix}/apps/${appId}/${randomUUID()}`,
          { Authorization: `Bearer ${TOKEN}`, "Content-Type": "application/json", "Content-Length": SMALL_BODY.length },
          SMALL_BODY,
        ),
      ),
  },
  {
    name: "unknown-webhooks",
    about: "guesses addresses of notifications",
    connections: 100,
    live: (socket) =>
      asking(socket, () =>
        requestOf(
          `POST /webhooks/${randomBytes(24).toString("base64url")}`,
          { "Content-Type": "application/json", "Content-Length": 2 },
          "{}",
        ),
      ),
  },
  ...["health", "ready", "metrics", "docs"].map((path) => ({
    name: path,
    about: `asks for /${path} without a pause`,
    connections: 100,
    live: (socket: Parameters<Attack["live"]>[0]) => asking(socket, () => requestOf(`GET /${path}`)),
  })),
  {
    name: "malformed",
    about: "sends what is no HTTP",
    connections: 100,
    live(socket) {
      reading(socket);
      socket.write("\x16\x03\x01 hello there\r\n\r\n");
    },
  },
  {
    name: "malformed-open",
    about: "sends what is no HTTP and keeps its end open",
    connections: 1_000,
    live(socket) {
      socket.pause();
      socket.write("hello there\r\n\r\n");
    },
  },
  {
    name: "slow-headers",
    about: "sends a header a byte now and then",
    connections: 1_000,
    live(socket) {
      reading(socket);
      socket.write("GET /docs HTTP/1.1\r\nHost: a\r\nX: ");
      const drip = () => {
        if (socket.destroyed) return;
        socket.write("x");
        systemClock.after(DRIP_MS, drip);
      };
      drip();
    },
  },
  {
    name: "half-headers",
    about: "sends 15 KiB of headers and waits",
    connections: 1_000,
    live(socket) {
      reading(socket);
      socket.write(`GET /docs HTTP/1.1\r\nHost: a\r\n${"a:b\r\n".repeat(3_000)}`);
    },
  },
  ...KEPT_ATTACKS,
  {
    name: "churn",
    about: "opens and closes connections",
    connections: 100,
    live: (socket) => void socket.destroy(),
  },
  {
    name: "reset-sales",
    about: "sends sales with a wrong signature, each on a connection of its own that is reset",
    connections: 100,
    live(socket, target) {
      socket.write(requestOf(SALE, saleHead(target, { "Content-Length": SMALL_BODY.length }), SMALL_BODY), () => socket.resetAndDestroy());
    },
  },
  {
    name: "many-headers",
    about: "sends as many headers as fit",
    connections: 50,
    live: (socket) => asking(socket, () => `GET /health HTTP/1.1\r\nHost: a\r\n${"a:b\r\n".repeat(3_000)}\r\n`),
  },
  {
    name: "long-paths",
    about: "calls fiscal operations with names of 15 KiB",
    connections: 50,
    live: (socket) => asking(socket, () => requestOf(`POST /fiscal/${"x/".repeat(7_500)}`, { "Content-Length": 0 })),
  },
  {
    name: "expectations",
    about: "asks whether it may send a body and never does",
    connections: 1_000,
    live(socket, target) {
      reading(socket);
      socket.write(requestOf(SALE, saleHead(target, { "Content-Length": MEBIBYTE, Expect: "100-continue" })));
    },
  },
  {
    name: "trailers",
    about: "sends chunked bodies with trailers as long as they may be",
    connections: 50,
    live: (socket, target) =>
      asking(socket, () =>
        requestOf(SALE, saleHead(target, { "Transfer-Encoding": "chunked" }), `2\r\n{}\r\n0\r\n${"a:b\r\n".repeat(3_000)}\r\n`),
      ),
  },
  {
    name: "odd-methods",
    about: "asks for tunnels, traces and other protocols",
    connections: 100,
    live: (socket) =>
      asking(
        socket,
        () =>
          ODD_METHODS[Math.floor(systemClock.monotonicMs()) % ODD_METHODS.length] ??
          requestOf("TRACE /docs", { Connection: "upgrade", Upgrade: "websocket" }),
      ),
  },
  {
    name: "old-http",
    about: "asks for pages by HTTP/1.0",
    connections: 50,
    live(socket) {
      reading(socket);
      socket.write("GET /docs HTTP/1.0\r\n\r\n");
    },
  },
  ...SPREAD_ATTACKS,
  ...UPGRADE_ATTACKS,
  ...PAGE_ATTACKS,
];

const ODD_METHODS = [requestOf("CONNECT shop.example:443"), requestOf("TRACE /fiscal/1/retaildemand"), requestOf("OPTIONS *")];
