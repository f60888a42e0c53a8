import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Clock } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";

/** qr-acquirers 9 allows notifications of this size. No call to either bank needs a tenth of this size. */
const MAX_BODY_BYTES = 64 * 1024;
/** A request with a longer body loses its connection. A shorter body above MAX_BODY_BYTES gets a 413. */
const MAX_DISCARDED_BYTES = 1024 * 1024;
/** The time limit for sending a request. */
const REQUEST_MS = 30_000;
/** Longer than clients keep an idle connection, so that no client sends a request on a closing connection. */
const KEEP_ALIVE_MS = 75_000;
/** Far more connections than the server and a tester open. */
const MAX_CONNECTIONS = 1_000;

/** Listens on this machine only. */
export class Listener {
  readonly #server: Server;
  readonly #clock: Clock;
  readonly #sockets = new Set<Socket>();

  constructor(parts: { clock: Clock; answer: RequestListener }) {
    this.#clock = parts.clock;
    this.#server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS, keepAliveTimeout: KEEP_ALIVE_MS }, parts.answer);
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
  }

  /** Returns the origin. Port 0: any free port. Rejects with a `Failure` when the port is unusable. */
  listen(port: number): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", (error) =>
        reject(new Failure("cannot-listen", "dependency", `--port: cannot listen on ${port}: ${error.message}`, { cause: error })),
      );
      this.#server.listen(port, "127.0.0.1", () => {
        const address = this.#server.address() as AddressInfo;
        resolve(`http://127.0.0.1:${address.port}`);
      });
    });
  }

  /** Accepts no more connections. Running requests have `withinMs` to end, then all connections are cut. */
  async close(withinMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    this.#server.closeIdleConnections();
    const cancel = this.#clock.after(withinMs, () => {
      for (const socket of this.#sockets) socket.destroy();
    });
    await closed;
    cancel();
  }
}

type Body = { readonly kind: "body"; readonly bytes: Buffer } | { readonly kind: "too-large" } | { readonly kind: "gone" };

/** Reads the body, whatever its content type. Never rejects. `gone`: the connection ended first, or the body is far too large. */
export function readBytes(request: IncomingMessage): Promise<Body> {
  return new Promise((resolve) => {
    let bytes = 0;
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
      if (bytes > MAX_DISCARDED_BYTES) request.destroy();
    });
    request.once("end", () => resolve(bytes > MAX_BODY_BYTES ? { kind: "too-large" } : { kind: "body", bytes: Buffer.concat(chunks) }));
    request.once("error", () => resolve({ kind: "gone" }));
    request.once("close", () => resolve({ kind: "gone" }));
  });
}
