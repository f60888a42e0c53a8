import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { createServer, type Server as HttpServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { type RawData, type WebSocket, WebSocketServer } from "ws";

/** A frame as parsed JSON. The schemas and constants of the product are not used here. */
export type Frame = Record<string, unknown>;

/** One connection of an agent, as the server sees it. */
export interface PlayedConnection {
  /** Every frame that the agent has sent, in order. */
  readonly frames: readonly Frame[];
  send(frame: Frame | string): void;
  /** Resolves with the first frame that matches, earlier frames included. Rejects when the connection ends without one. */
  frame(matches: (frame: Frame) => boolean): Promise<Frame>;
  /** Sends a call and resolves with its answer. */
  call(call: Frame): Promise<Frame>;
  close(code: number, reason?: string): void;
  /** Cuts the connection. */
  cut(): void;
  readonly ended: Promise<{ code: number; reason: string }>;
}

export interface PlayedServer {
  /** The address that `agents enrol` would print as `server`. */
  address: string;
  port: number;
  /** The bodies of enrolments. */
  readonly enrolments: readonly Frame[];
  /** Resolves with the next connection after its challenge was sent. */
  connection(): Promise<PlayedConnection>;
  /** Goes through challenge, hello and welcome, and checks the signature. */
  ready(options?: { epoch?: number; at?: string }): Promise<PlayedConnection>;
  close(): Promise<void>;
}

interface PlayedOptions {
  id?: string;
  protocol?: [number, number];
  tls?: { key: string; cert: string };
  port?: number;
  host?: string;
}

export const CODE = "code-of-the-shop";

/** Plays the server's side of the protocol between server and agent, made only from its description. */
export async function playServer({
  id = "server-1",
  protocol = [1, 1],
  tls,
  port = 0,
  host = "127.0.0.1",
}: PlayedOptions = {}): Promise<PlayedServer> {
  const enrolments: Frame[] = [];
  let publicKey: KeyObject | undefined;
  const waiting: ((connection: PlayedConnection) => void)[] = [];
  const arrived: PlayedConnection[] = [];
  const server: HttpServer = tls === undefined ? createServer() : createTlsServer(tls);
  server.on("request", (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (request.url !== "/agents/enrol") return response.writeHead(request.url === "/agents/connect" ? 426 : 404).end();
      const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Frame;
      enrolments.push(body);
      if (body.code !== CODE) return response.writeHead(403).end("{}");
      publicKey = createPublicKey({ key: Buffer.from(String(body.publicKey), "base64"), type: "spki", format: "der" });
      return response
        .writeHead(201, { "content-type": "application/json" })
        .end(JSON.stringify({ agent: "agent-1", name: "shop7", server: id, protocol }));
    });
  });
  const sockets = new WebSocketServer({ server, path: "/agents/connect", perMessageDeflate: false, maxPayload: 1024 * 1024 });
  sockets.on("connection", (socket) => {
    const connection = play(socket);
    connection.send({ challenge: "nonce-1", server: id, protocol });
    const next = waiting.shift();
    if (next === undefined) arrived.push(connection);
    else next(connection);
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  const bound = (server.address() as AddressInfo).port;
  const connection = () =>
    new Promise<PlayedConnection>((resolve) => {
      const next = arrived.shift();
      if (next === undefined) waiting.push(resolve);
      else resolve(next);
    });
  return {
    port: bound,
    address: `${tls === undefined ? "ws" : "wss"}://${host}:${bound}/agents`,
    enrolments,
    connection,
    async ready({ epoch, at = new Date().toISOString() } = {}) {
      const next = await connection();
      const hello = (await next.frame((frame) => "hello" in frame)).hello as Frame;
      const signed = ["fiscal-agent.v1", "nonce-1", id, hello.agent, hello.epoch, hello.folder, hello.boot].join("\n");
      const isSigned =
        publicKey !== undefined && verify(null, Buffer.from(signed), publicKey, Buffer.from(String(hello.signature), "base64"));
      if (!isSigned) throw new Error("the hello is not signed by the enrolled key");
      const given = epoch ?? Number(hello.epoch) + 1;
      next.send({ welcome: { epoch: given, protocol: 1, pingMs: 5_000, silenceMs: 12_000, at } });
      const { ready } = await next.frame((frame) => "ready" in frame);
      if ((ready as Frame).epoch !== given) throw new Error("the agent is ready for another epoch");
      return next;
    },
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function play(socket: WebSocket): PlayedConnection {
  const frames: Frame[] = [];
  const waiting = new Set<{ matches: (frame: Frame) => boolean; resolve: (frame: Frame) => void; reject: (error: Error) => void }>();
  socket.on("message", (data: RawData) => {
    const frame = JSON.parse(String(data)) as Frame;
    frames.push(frame);
    for (const wait of waiting) {
      if (!wait.matches(frame)) continue;
      waiting.delete(wait);
      wait.resolve(frame);
    }
  });
  socket.on("error", () => socket.terminate());
  const ended = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once("close", (code, reason) => {
      for (const { reject } of waiting) reject(new Error(`the connection ended with ${code} ${reason}; frames: ${JSON.stringify(frames)}`));
      waiting.clear();
      resolve({ code, reason: reason.toString("utf8") });
    });
  });
  const frame = (matches: (frame: Frame) => boolean) => {
    const found = frames.find(matches);
    return found === undefined
      ? new Promise<Frame>((resolve, reject) => waiting.add({ matches, resolve, reject }))
      : Promise.resolve(found);
  };
  const send = (content: Frame | string) => socket.send(typeof content === "string" ? content : JSON.stringify(content));
  return {
    frames,
    send,
    frame,
    call(call) {
      send(call);
      return frame((one) => one.answer === call.call);
    },
    close: (code, reason) => socket.close(code, reason),
    cut: () => socket.terminate(),
    ended,
  };
}
