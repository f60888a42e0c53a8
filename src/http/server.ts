import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type Clock, pause } from "../kernel/clock.ts";
import { Failure } from "../kernel/failure.ts";
import type { Log } from "../kernel/log.ts";
import { answerProblem } from "./answer.ts";

/** The platform's headers take well under 4 KiB; the signature of a 4096-bit key is 684 characters of them. */
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_HEADERS = 100;
/** A caller that dribbles its headers holds a connection no longer than this. */
const HEADERS_TIMEOUT_MS = 10_000;
/** The same for headers and body together: 1 MiB at modem speed. */
const REQUEST_TIMEOUT_MS = 30_000;
/** How much later than that a caller may be noticed, as a share of the limit for headers. */
const TIMEOUT_CHECK_SHARE = 0.2;
/** Longer than the 60 s for which common proxies keep an idle connection, so that they close it first. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;
/** One process serves a few hundred tills; the platform's proxies use far fewer connections than tills. */
const MAX_CONNECTIONS = 1_024;
/** A connection is renewed now and then, so that a new set of servers behind a balancer gets its share. */
const MAX_REQUESTS_PER_SOCKET = 10_000;

/** After the order to stop, time for requests that are on their way to be told so. */
const LAST_CALL_MS = 300;

/** The listening end: limits, malformed HTTP, and a stop that lets running requests finish. */
export class HttpServer {
  readonly #server: Server;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #connections = new Set<Socket>();
  /** Answers that are owed, and the connection of each. */
  readonly #owed = new Map<ServerResponse, Socket>();
  /** New requests are told so. */
  #stopping = false;
  /** Connections that owe no answer are closed. */
  #closing = false;
  #full = false;

  constructor(options: { application: RequestListener; log: Log; clock: Clock; headersTimeoutMs?: number; requestTimeoutMs?: number }) {
    const headersTimeoutMs = options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS;
    this.#log = options.log;
    this.#clock = options.clock;
    this.#server = createServer(
      {
        maxHeaderSize: MAX_HEADER_BYTES,
        headersTimeout: headersTimeoutMs,
        requestTimeout: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
        connectionsCheckingInterval: headersTimeoutMs * TIMEOUT_CHECK_SHARE,
        keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      },
      (request, response) => this.#serve(options.application, request, response),
    );
    this.#server.maxHeadersCount = MAX_HEADERS;
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server.maxRequestsPerSocket = MAX_REQUESTS_PER_SOCKET;
    this.#server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => this.#refuseMalformed(error, socket));
    this.#server.on("drop", () => this.#noteFull());
    this.#server.on("connection", (socket) => {
      this.#connections.add(socket);
      socket.once("close", () => this.#connections.delete(socket));
    });
  }

  get stopping(): boolean {
    return this.#stopping;
  }

  /** Requests whose answer has not gone out yet. */
  get running(): number {
    return this.#owed.size;
  }

  /** Port 0 takes a free one. A port that cannot be had is a `Failure` with words for whoever starts the server. */
  listen(host: string, port: number): Promise<{ host: string; port: number }> {
    return new Promise((resolve, reject) => {
      const refuse = (error: Error) =>
        reject(new Failure("cannot-listen", "dependency", `cannot listen on ${host}:${port}: ${error.message}`, { cause: error }));
      this.#server.once("error", refuse);
      this.#server.listen(port, host, () => {
        this.#server.removeListener("error", refuse);
        const address = this.#server.address() as AddressInfo;
        resolve({ host: address.address, port: address.port });
      });
    });
  }

  /**
   * Takes no new request, waits for the running ones no longer than the bound and closes every connection.
   * Work behind a request that is cut off goes on; only its answer is lost, and the caller may repeat it.
   */
  async close(withinMs: number): Promise<void> {
    if (this.#stopping) return;
    this.#stopping = true;
    // What callers have sent already and nobody has read yet is answered, not torn off.
    await pause(this.#clock, LAST_CALL_MS);
    this.#closing = true;
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    for (const response of this.#owed.keys()) closeAfterwards(response);
    this.#closeConnectionsWithoutRequest();
    const cancel = this.#clock.after(withinMs, () => {
      this.#log.warn({ requests: this.#owed.size, withinMs }, "requests cut off: they did not finish in time");
      this.#server.closeAllConnections();
    });
    await closed;
    cancel();
  }

  #serve(application: RequestListener, request: IncomingMessage, response: ServerResponse): void {
    this.#owed.set(response, request.socket);
    response.once("close", () => {
      this.#owed.delete(response);
      if (this.#closing) this.#closeConnectionsWithoutRequest();
    });
    // Sent behind a running request: its answer may not get out any more, so it must not be carried out.
    if (this.#stopping) {
      // Closing a connection with unread bytes resets it, and the answer would be lost with them.
      request.once("end", () => answerProblem(response, 503, "Server is stopping", "Сервер перезапускается. Повторите через минуту."));
      request.resume();
      return;
    }
    this.#full = false;
    application(request, response);
  }

  /** Node's own notion of idle leaves out a connection on which no request has come yet. */
  #closeConnectionsWithoutRequest(): void {
    const owed = new Set(this.#owed.values());
    for (const socket of this.#connections) if (!owed.has(socket)) socket.destroySoon();
  }

  /** What is no HTTP never becomes a request: it is answered on the bare connection, which is then closed. */
  #refuseMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
    const owed = [...this.#owed.values()].includes(socket);
    if (error.code === "ECONNRESET" || !socket.writable || owed) {
      socket.destroy();
      return;
    }
    const [status, title] = MALFORMED[error.code ?? ""] ?? [400, "Bad Request"];
    this.#log.debug({ code: error.code, status }, "malformed request refused");
    const body = JSON.stringify({ errors: [{ error: title, code: status }] });
    socket.end(
      `HTTP/1.1 ${status} ${title}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  }

  #noteFull(): void {
    if (this.#full) return;
    this.#full = true;
    this.#log.warn({ limit: MAX_CONNECTIONS }, "connections refused: as many as the server takes are open");
  }
}

const MALFORMED: Record<string, [number, string]> = {
  HPE_HEADER_OVERFLOW: [431, "Request Header Fields Too Large"],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, "Payload Too Large"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "Request Timeout"],
};

function closeAfterwards(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader("Connection", "close");
}
