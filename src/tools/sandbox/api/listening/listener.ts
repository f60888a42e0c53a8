import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Clock } from "../../../../kernel/clock.ts";
import { Failure } from "../../../../kernel/failure.ts";
import { pageAnswer } from "../answers/wire.ts";
import type { Connections } from "../counters/connections.ts";
import { MAX_HEADER_BYTES } from "../requests/request-headers.ts";
import { MAX_URL_LENGTH } from "../requests/target.ts";
import { encodedAddress, lineAt, reconnected } from "./raw-address.ts";

/** Above the platform's limits, so the sandbox itself answers requests that exceed these limits. */
const PARSER_HEADER_BYTES = 4 * (MAX_HEADER_BYTES + MAX_URL_LENGTH);
/** Idle connections stay open and are counted. This is far above the 30 s after which `Connections` warns. */
const KEEP_ALIVE_MS = 300_000;
/** The time for a request to arrive. The platform allows this time for a whole request (json-api 4). */
const REQUEST_MS = 300_000;

/** Key and certificate of a TLS listener, in PEM. */
export interface TlsMaterial {
  readonly key: string;
  readonly cert: string;
}

/** Listens for connections. A malformed request gets the platform's answer instead of Node's answer. */
export class Listener {
  readonly #server: Server;
  readonly #clock: Clock;
  readonly #tls: boolean;
  /** TCP connections, including connections without a request. */
  readonly #sockets = new Set<Socket>();
  /** For each client's connection that the HTTP parser no longer reads: the second connection that `#gaveUp` has opened. */
  readonly #second = new Map<Socket, ReturnType<typeof reconnected>>();
  /** Unfinished answers, each with the connection of its request. */
  readonly #owed = new Map<ServerResponse, Socket>();
  #closing = false;

  constructor(options: { answer: RequestListener; clock: Clock; connections: Connections; tls: TlsMaterial | undefined }) {
    const { answer, connections, tls } = options;
    const settings = { maxHeaderSize: PARSER_HEADER_BYTES, keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: REQUEST_MS };
    const serve: RequestListener = (request, response) => {
      connections.requested(request.socket);
      this.#owe(request, response, connections);
      answer(request, response);
    };
    this.#clock = options.clock;
    this.#tls = tls !== undefined;
    this.#server = tls === undefined ? createServer(settings, serve) : createTlsServer({ ...settings, ...tls }, serve);
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    this.#server.on(this.#tls ? "secureConnection" : "connection", (socket: Socket) => connections.opened(socket));
    this.#server.on("clientError", (error: ParserFault, socket: Socket) => this.#gaveUp(error, socket));
  }

  /** Listens on this machine only and returns the origin. Port 0 chooses a free port. Rejects with a `Failure` if the port is unusable. */
  listen(port: number): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", (error) =>
        reject(new Failure("cannot-listen", "dependency", `--port: cannot listen on ${port}: ${error.message}`, { cause: error })),
      );
      this.#server.listen(port, "127.0.0.1", () => {
        const address = this.#server.address() as AddressInfo;
        resolve(`${this.#tls ? "https" : "http"}://127.0.0.1:${address.port}`);
      });
    });
  }

  /** Accepts no more connections, waits for unfinished answers for the given time, then closes all connections. */
  async close(withinMs: number): Promise<void> {
    this.#closing = true;
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    this.#closeIdle();
    const cancel = this.#clock.after(withinMs, () => {
      for (const socket of this.#sockets) socket.destroy();
    });
    await closed;
    cancel();
  }

  #owe(request: IncomingMessage, response: ServerResponse, connections: Connections): void {
    const { socket } = request;
    this.#owed.set(response, socket);
    if (this.#closing) response.setHeader("Connection", "close");
    response.once("close", () => {
      this.#owed.delete(response);
      connections.answered(socket);
      if (this.#closing) this.#closeIdle();
    });
  }

  /**
   * Handles an HTTP parser error. The parser refuses non-ASCII bytes in an address, and then reports every later chunk as an error.
   * If the address is the only fault, the request continues over a second connection. Other errors get the answer for malformed HTTP.
   */
  #gaveUp(error: ParserFault, socket: Socket): void {
    const { rawPacket, bytesParsed = 0 } = error;
    const second = this.#second.get(socket);
    if (second !== undefined && rawPacket !== undefined) {
      second.write(rawPacket);
      return;
    }
    const encoded = rawPacket === undefined ? undefined : encodedAddress(rawPacket, lineAt(rawPacket, bytesParsed));
    if (error.code !== "HPE_INVALID_URL" || encoded === undefined || this.#closing) {
      refuseMalformed(error, socket);
      return;
    }
    const opened = reconnected(socket);
    this.#second.set(socket, opened);
    socket.once("close", () => this.#second.delete(socket));
    this.#server.emit(this.#tls ? "secureConnection" : "connection", opened.inner);
    opened.write(encoded);
  }

  /**
   * Closes connections without an unfinished answer. With TLS, a request does not identify its TCP connection, so all connections stay open
   * until every answer is finished.
   */
  #closeIdle(): void {
    const owed = new Set(this.#owed.values());
    if (this.#tls && owed.size > 0) return;
    // A second connection is an in-memory pair of streams. It has no `destroySoon`, so `destroy` closes it.
    for (const socket of this.#sockets) if (!owed.has(socket)) (socket.destroySoon ?? socket.destroy).call(socket);
  }
}

interface ParserFault extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/** Answers malformed HTTP with a page, and closes the connection. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = error.code === "HPE_HEADER_OVERFLOW" ? 431 : 400;
  const { html = "" } = pageAnswer(status);
  socket.end(
    `HTTP/1.1 ${status} Bad Request\r\nConnection: close\r\nContent-Type: text/html; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(html)}\r\n\r\n${html}`,
  );
}
