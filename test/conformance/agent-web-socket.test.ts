import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { dialWebSocket, WebSocketDoor } from "../../src/registers/agent/wire/web-socket.ts";
import { playServer } from "../support/agent-played-server.ts";

it("a frame that comes with the handshake waits for whoever listens to the new connection", async () => {
  const server = await playServer();
  onTestFinished(() => server.close());
  const socket = await dialWebSocket(`${server.address}/connect`);
  // When a ping on another connection has come back, the event loop has read the frame.
  const other = await dialWebSocket(`${server.address}/connect`);
  await new Promise<void>((alive) => {
    other.listen({ frame() {}, alive, closed() {} });
    other.ping();
  });
  const frame = await new Promise<string>((resolve) =>
    socket.listen({ frame: resolve, alive() {}, closed: (code) => resolve(String(code)) }),
  );
  expect(JSON.parse(frame)).toMatchObject({ challenge: "nonce-1" });
});

const HANDSHAKE = [
  "GET /connect HTTP/1.1",
  "Host: a",
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==",
  "Sec-WebSocket-Protocol: fiscal-agent.v1",
].join("\r\n");

/** A frame of one letter with a mask of zeros. `first`: the first byte, with the kind of the frame. */
function letter(first: number): Buffer {
  return Buffer.from([first, 0x81, 0, 0, 0, 0, "a".charCodeAt(0)]);
}
const [TEXT_BEGINS, BINARY, CONTINUES, ENDS, PING] = [0x01, 0x02, 0x00, 0x80, 0x89] as const;

/** What a stranger sends after the handshake, each as one piece, and what becomes of its connection. */
async function fateOf(pieces: readonly Buffer[], trusted = false): Promise<"ended" | { frame: string }> {
  const door = new WebSocketDoor();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const place = server.address();
  const client = connect(typeof place === "object" ? (place?.port ?? 0) : 0, "127.0.0.1").setNoDelay(true);
  client.on("error", () => {});
  onTestFinished(() => void client.destroy());
  let far: Socket | undefined;
  server.once("connection", (socket) => {
    far = socket;
  });
  return await new Promise((resolve) => {
    server.on("upgrade", (request, stream, head) =>
      door.upgrade(request, stream, head, (socket) => {
        if (trusted) socket.trust();
        socket.listen({ frame: (frame) => resolve({ frame }), alive() {}, closed: () => resolve("ended") });
      }),
    );
    client.once("data", () => {
      let sentBytes = HANDSHAKE.length + 4;
      const send = (at: number) => {
        const piece = pieces[at];
        if (client.destroyed || piece === undefined) return;
        // A piece that is sent before the earlier one was read may arrive together with it.
        const isRead = far === undefined || far.bytesRead >= sentBytes;
        if (isRead) {
          client.write(piece);
          sentBytes += piece.length;
        }
        setImmediate(send, isRead ? at + 1 : at);
      };
      send(0);
    });
    client.write(`${HANDSHAKE}\r\n\r\n`);
  });
}

it("a connection is broken off when a frame comes in more than 128 fragments, also after the agent was proved", async () => {
  const fragments = (count: number) => [
    Buffer.concat([letter(TEXT_BEGINS), ...Array.from({ length: count - 2 }, () => letter(CONTINUES)), letter(ENDS)]),
  ];
  expect(await fateOf(fragments(128))).toEqual({ frame: "a".repeat(128) });
  for (const trusted of [false, true]) expect(await fateOf(fragments(129), trusted)).toBe("ended");
});

it("a frame behind a binary frame is not read, while the connection closes", async () => {
  const CLOSES = Buffer.from([0x88, 0x80, 0, 0, 0, 0]);
  expect(await fateOf([letter(BINARY | ENDS), letter(TEXT_BEGINS | ENDS), CLOSES], true)).toBe("ended");
});

it("a stranger is broken off whose bytes come in more than 64 pieces, and an agent is not", async () => {
  const pings = [...Array.from({ length: 80 }, () => letter(PING)), letter(TEXT_BEGINS | ENDS)];
  expect(await fateOf(pings)).toBe("ended");
  expect(await fateOf(pings, true)).toEqual({ frame: "a" });
});

/** The pongs that a stranger gets for its pings, all sent in one piece, until its connection ends. */
async function pongsFor(pings: number): Promise<number> {
  const door = new WebSocketDoor();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  server.on("upgrade", (request, stream, head) =>
    door.upgrade(request, stream, head, (socket) => socket.listen({ frame() {}, alive() {}, closed: () => close() })),
  );
  const place = server.address();
  const client = connect(typeof place === "object" ? (place?.port ?? 0) : 0, "127.0.0.1");
  onTestFinished(() => void client.destroy());
  client.on("error", () => {});
  client.write(`${HANDSHAKE}\r\n\r\n`);
  await new Promise((resolve) => client.once("data", resolve));
  let pongBytes = 0;
  client.on("data", (piece: Buffer) => {
    pongBytes += piece.length;
  });
  // The last frame ends the connection.
  client.write(Buffer.concat([...Array.from({ length: pings }, () => SHORT_PING), Buffer.from([0x83, 0x80, 0, 0, 0, 0])]));
  await closed;
  return pongBytes / SHORT_PONG_BYTES;
}

it("a stranger gets no answer to thousands of pings that it sends at once, and its connection ends before they are all read", async () => {
  expect(await pongsFor(5_000)).toBeLessThanOrEqual(4);
});

/** What a caller reads that sends these bytes in one write, until its connection ends. */
async function answerTo(request: Buffer): Promise<string> {
  const door = new WebSocketDoor();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  server.on("upgrade", (upgrade, stream, head) => door.upgrade(upgrade, stream, head, (socket) => socket.close(1000)));
  const place = server.address();
  const client = connect(typeof place === "object" ? (place?.port ?? 0) : 0, "127.0.0.1");
  onTestFinished(() => void client.destroy());
  const read: Buffer[] = [];
  return await new Promise((resolve) => {
    client.on("error", () => {});
    client.on("data", (piece) => read.push(piece)).once("close", () => resolve(Buffer.concat(read).toString("latin1")));
    client.end(request);
  });
}

it.each([
  ["none", ""],
  ["another", "\r\nSec-WebSocket-Protocol: chat, fiscal-agent.v2"],
])("a caller that offers %s of the subprotocols is refused, whatever it sends behind its request", async (_what, offered) => {
  const request = HANDSHAKE.replace("\r\nSec-WebSocket-Protocol: fiscal-agent.v1", offered);
  for (const behind of [[], [0x81, 0x01, 0x61], [0xf1, 0x81, 0, 0, 0, 0, 0x61]])
    expect(await answerTo(Buffer.concat([Buffer.from(`${request}\r\n\r\n`), Buffer.from(behind)]))).toMatch(/^HTTP\/1\.1 400 /);
});

it.each([
  ["without a mask", Buffer.from([0x81, 0x01, 0x61])],
  ["with a reserved bit", Buffer.from([0xf1, 0x81, 0, 0, 0, 0, 0x61])],
  ["of an unknown kind", Buffer.from([0x83, 0x80, 0, 0, 0, 0])],
  ["that ends with the connection", Buffer.from([0x81, 0xfe, 0x7f, 0xff])],
])("a connection to which nobody listens yet ends alone after a frame %s", async (_what, frame) => {
  const answer = await answerTo(Buffer.concat([Buffer.from(`${HANDSHAKE}\r\n\r\n`), frame, Buffer.from([0x88, 0x80, 0, 0, 0, 0])]));
  expect(answer).toMatch(/^HTTP\/1\.1 101 /);
});

const SHORT_PONG_BYTES = 2;
/** A ping of 125 bytes, and one without any. */
const [LONG_PING, SHORT_PING] = [Buffer.concat([Buffer.from([PING, 0xfd]), Buffer.alloc(129)]), Buffer.from([PING, 0x80, 0, 0, 0, 0])];

it.each([
  ["more pings in one piece than a stranger may send", LONG_PING, 400],
  ["as many pings in one piece as a stranger may send, and ends", SHORT_PING, 5_000],
])("a stranger that sends %s ends alone", async (_what, ping, count) => {
  // The last frame, of a reserved kind, ends the connection while the pings before it are still being read.
  expect(await fateOf([Buffer.concat([...Array.from({ length: count }, () => ping), Buffer.from([0x83, 0x80, 0, 0, 0, 0])])])).toBe(
    "ended",
  );
});
