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

/** Room above the platform's own limits, so that going over them is answered and not cut off. */
const PARSER_HEADER_BYTES = 4 * (MAX_HEADER_BYTES + MAX_URL_LENGTH);
/** Idle connections are counted, not closed: far above the 30 s of which is warned. */
const KEEP_ALIVE_MS = 300_000;
/** How long one request may take (reference 4). */
const REQUEST_MS = 300_000;

/** Key and certificates of a listener that speaks TLS, in PEM. */
export interface TlsMaterial {
  readonly key: string;
  /** The listener's own. */
  readonly cert: string;
}

/** The listening end of the sandbox: it answers as the platform's web server does, not as ours. */
export class Listener {
  readonly #server: Server;
  readonly #clock: Clock;
  readonly #tls: boolean;
  /** Bare connections, also those that never got as far as a request. */
  readonly #sockets = new Set<Socket>();
  /** Second connections of clients whose first one the parser gave up, by the first. */
  readonly #second = new Map<Socket, ReturnType<typeof reconnected>>();
  /** Answers that are owed, by the connection that the request came on. */
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

  /** Listens on this machine only; port 0 takes a free one. Returns the origin. A `Failure` when the port cannot be had. */
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

  /** Takes no more; answers that are owed get the time, then everything is cut off. */
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
   * The parser takes no byte beyond ASCII in an address, and tells of every later chunk as it did of the first: a request whose
   * address is the only thing that is wrong goes on over a second connection. Anything else is no HTTP.
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

  /** With TLS the bare connection is not the one that requests name: nothing is closed early then while one is owed. */
  #closeIdle(): void {
    const owed = new Set(this.#owed.values());
    if (this.#tls && owed.size > 0) return;
    // A second connection is a pair of streams in memory and knows no other end.
    for (const socket of this.#sockets) if (!owed.has(socket)) (socket.destroySoon ?? socket.destroy).call(socket);
  }
}

/** What the parser tells of bytes that it does not take. */
interface ParserFault extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/** What is no HTTP never becomes a request: a page on the bare connection, which is then closed. */
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
