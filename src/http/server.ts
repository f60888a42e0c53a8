import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type Clock, pause } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import { answerProblem } from "./answer.ts";
import { BodyBudget } from "./body-budget.ts";
import { CallerConnection, READ_AHEAD_BYTES } from "./caller-connection.ts";
import { ClosingDelay } from "./closing-delay.ts";
import { Connections } from "./connections.ts";
import { ListeningSockets } from "./listening-sockets.ts";
import { OrderedObjects } from "./ordered-objects.ts";
import { ParseOrder } from "./parse-order.ts";
import { ProvedNetworks } from "./proved-networks.ts";
import { networkOf } from "./source.ts";
import { attachUnprovedRequest, UnprovedRequest } from "./unproved-request.ts";
import { Unzip } from "./unzip.ts";

/**
 * The largest size of all headers. The platform's headers have well under 4 KiB. The longest header, the signature of a 4096-bit key, has
 * 684 characters.
 */
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_HEADERS = 100;
/** The time limit for the headers, and for a connection that sends nothing, so that a slow caller cannot hold a connection. */
const HEADERS_TIMEOUT_MS = 10_000;
/** The time limit for headers and body together: 1 MiB at 0.28 Mbit/s. */
const REQUEST_TIMEOUT_MS = 30_000;
/** The time between two checks of both time limits by Node, as a share of the limit for headers. */
const TIMEOUT_CHECK_SHARE = 0.2;
/** The time limit of an idle connection. It is longer than the 60 s of common proxies, so that the proxy closes the connection first. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;
/** A connection is closed after this many requests, so that new servers behind a load balancer get their share. */
const MAX_REQUESTS_PER_SOCKET = 10_000;

/** How long a stopping server still reads new requests. It answers each with a refusal, so that the callers see no connection reset. */
const LAST_CALL_MS = 300;
/** How often a stopping server checks whether only connections of another protocol are left. */
const CLOSED_LOOK_MS = 50;

/** Takes connections whose callers want another protocol than HTTP. Such connections take no place among the server's connections. */
interface Upgrades {
  /** True for a request that may become such a connection. Otherwise the request is answered like any other request. */
  takes(request: IncomingMessage): boolean;
  /** Answers the request on the socket, and owns the socket. `head`: the first bytes after the request. */
  take(request: IncomingMessage, socket: Socket, head: Buffer): void;
}

interface HttpServerOptions {
  application: RequestListener;
  log: Log;
  clock: Clock;
  headersTimeoutMs?: number;
  requestTimeoutMs?: number;
  maxConnections?: number;
  /** Called with true when more connections are open than tills need, and with false when that has ended. */
  onCrowd?(crowded: boolean): void;
  /** Absent: no request is taken out of HTTP. */
  upgrades?: Upgrades;
}

/** The HTTP server: limits, malformed HTTP, and a stop that lets running requests finish. */
export class HttpServer {
  readonly #server: Server;
  readonly #listening: ListeningSockets;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #parseOrder: ParseOrder;
  readonly #bodies = new BodyBudget();
  readonly #provedNetworks = new ProvedNetworks();
  readonly #unzip = new Unzip();
  readonly #connections: Connections;
  readonly #closingDelay: ClosingDelay;
  /** Responses still to be sent. */
  readonly #owed = new OrderedObjects<ServerResponse>();
  /** True: new requests are answered with 503. */
  #stopping = false;
  /** True: connections without an answer to send are closed. */
  #closing = false;
  #upgraded = 0;

  constructor(options: HttpServerOptions) {
    const { log, clock } = options;
    this.#log = log;
    this.#clock = clock;
    this.#parseOrder = new ParseOrder(clock);
    this.#closingDelay = new ClosingDelay(clock);
    const limit = options.maxConnections === undefined ? {} : { limit: options.maxConnections };
    const silentLimitMs = options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS;
    const { onCrowd = () => {} } = options;
    const orders = { parseOrder: this.#parseOrder, closingDelay: this.#closingDelay, provedNetworks: this.#provedNetworks };
    this.#connections = new Connections({ log, clock, ...orders, silentLimitMs, onCrowd, ...limit });
    this.#server = this.#makeServer(options);
    this.#listening = new ListeningSockets(this.#server, { highWaterMark: READ_AHEAD_BYTES });
  }

  get stopping(): boolean {
    return this.#stopping;
  }

  /** The number of requests that are not answered yet. */
  get running(): number {
    return this.#owed.size;
  }

  get openConnections(): number {
    return this.#connections.count;
  }

  /** The bytes held for callers: received and not read, bodies of unproved requests, unsent answers. */
  get heldBytes(): { unread: number; bodies: number; unsent: number } {
    return { ...this.#connections.bytes, bodies: this.#bodies.heldBytes };
  }

  /** Port 0 takes a free port. When the port cannot be opened, throws a `Failure` with the reason for the operator. */
  listen(host: string, port: number): Promise<{ host: string; port: number }> {
    return this.#listening.open(host, port);
  }

  /**
   * Refuses new requests, waits for running requests for at most `withinMs`, and closes every HTTP connection. The work of a request that
   * is cut off continues. Only its answer is lost, and the caller may repeat the request. A second call returns without waiting.
   */
  async close(withinMs: number): Promise<void> {
    if (this.#stopping) return;
    this.#stopping = true;
    // Requests that were sent but not read yet get an answer instead of a connection reset.
    await pause(this.#clock, LAST_CALL_MS);
    this.#closing = true;
    let ended = false;
    const closed = this.#listening.close().then(() => {
      ended = true;
    });
    for (const response of this.#owed) closeAfterwards(response);
    this.#connections.closeIdle();
    const cancel = this.#clock.after(withinMs, () => {
      this.#log.warn({ requests: this.#owed.size, withinMs }, "requests cut off: they did not finish in time");
      this.#server.closeAllConnections();
    });
    // Connections of another protocol are closed by their owner, whose work may need them longer. Until then the port counts as open.
    while (!ended && (this.#upgraded === 0 || this.running > 0 || this.openConnections > 0)) {
      await Promise.race([closed, pause(this.#clock, CLOSED_LOOK_MS)]);
    }
    cancel();
  }

  #makeServer(options: HttpServerOptions): Server {
    const { application, upgrades, headersTimeoutMs = HEADERS_TIMEOUT_MS, requestTimeoutMs = REQUEST_TIMEOUT_MS } = options;
    const server = createServer(
      {
        shouldUpgradeCallback: (request) => upgrades?.takes(request) === true,
        maxHeaderSize: MAX_HEADER_BYTES,
        highWaterMark: READ_AHEAD_BYTES,
        headersTimeout: headersTimeoutMs,
        requestTimeout: requestTimeoutMs,
        connectionsCheckingInterval: headersTimeoutMs * TIMEOUT_CHECK_SHARE,
        keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      },
      (request, response) => this.#serve(application, request, response),
    );
    server.maxHeadersCount = MAX_HEADERS;
    server.maxRequestsPerSocket = MAX_REQUESTS_PER_SOCKET;
    // Node's HTTP parser accepts any stream as a connection. Here the parser gets a `CallerConnection`, which passes on only as many
    // requests as can be answered.
    const parsers = server.listeners("connection");
    server.removeAllListeners("connection");
    server.on("connection", (socket: Socket) => {
      this.#connections.admit(socket, (connection) => {
        for (const parse of parsers) parse.call(server, connection);
      });
    });
    server.on("clientError", (error: NodeJS.ErrnoException, connection) =>
      withCallerConnection(connection, (each) => this.#refuseMalformed(error, each)),
    );
    if (upgrades !== undefined) {
      server.on("upgrade", (request, connection, head) =>
        withCallerConnection(connection, (each) => this.#handOver(upgrades, request, each, head)),
      );
    }
    server.on("connect", (_request, connection) =>
      withCallerConnection(connection, (each) => {
        // Node will not send the answers to earlier requests any more. The caller would take the 405 for the answer to the earliest of
        // these requests.
        if (each.owed.length > 0) this.#connections.breakOff(each);
        else this.#refuse(each, 405, "Method Not Allowed");
      }),
    );
    return server;
  }

  /** Gives the connection's socket away. Earlier answers must be delivered before, because the new owner does not count them. */
  #handOver(upgrades: Upgrades, request: IncomingMessage, connection: CallerConnection, head: Buffer): void {
    connection.delivery.leaveTo(() => {
      const socket = this.#connections.handOver(connection);
      this.#upgraded += 1;
      socket.once("close", () => {
        this.#upgraded -= 1;
      });
      upgrades.take(request, socket, head);
    });
  }

  #serve(application: RequestListener, request: IncomingMessage, response: ServerResponse): void {
    const network = networkOf(request.socket.remoteAddress);
    const sender = { network, networkProved: this.#provedNetworks.has(network), known: false };
    withCallerConnection(request.socket, (connection) => {
      sender.known = connection.standing === "proved";
      connection.begin(request, response);
    });
    const parts = { parseOrder: this.#parseOrder, bodies: this.#bodies, unzip: this.#unzip, provedNetworks: this.#provedNetworks };
    attachUnprovedRequest(new UnprovedRequest({ ...parts, response, sender }), request, response);
    this.#owed.add(response);
    response.once("close", () => {
      this.#owed.delete(response);
      if (this.#closing) this.#connections.closeIdle();
    });
    // A stopping server may be unable to send the answer to a new request, so it must not carry the request out.
    if (this.#stopping) {
      // Closing a connection with unread bytes resets it, and the caller loses the answer. So the body is read to its end first.
      request.once("end", () => answerProblem(response, 503, "Server is stopping", "Сервер перезапускается. Повторите через минуту."));
      request.resume();
      return;
    }
    application(request, response);
  }

  /** Writes an answer to the connection without Node's HTTP server. Closes the connection, mostly after a delay (closing-delay.ts). */
  #refuse(connection: CallerConnection, status: number, title: string): void {
    const body = JSON.stringify({ errors: [{ error: title, code: status }] });
    connection.write(
      `HTTP/1.1 ${status} ${title}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    const delayMs = this.#closingDelay.nextDelayMs();
    if (delayMs === 0) {
      connection.destroySoon();
      return;
    }
    connection.refuse({ closesNow: true });
    const cancel = this.#clock.after(delayMs, () => connection.destroySoon());
    connection.once("close", cancel);
  }

  /**
   * Answers bytes that are no valid HTTP, headers that are too long, and requests that exceed a time limit. Earlier requests are answered
   * first; an unfinished request is answered as incomplete. Then the connection is closed. A caller that has ended or broken the connection
   * gets no answer.
   */
  #refuseMalformed(error: NodeJS.ErrnoException, connection: CallerConnection): void {
    // The caller has closed the connection, perhaps in the middle of a request.
    if (error.code === "ECONNRESET" || !connection.writable) {
      connection.destroy();
      return;
    }
    if (error.code === "HPE_INVALID_EOF_STATE") {
      this.#connections.breakOff(connection);
      return;
    }
    const [status, title] = MALFORMED[error.code ?? ""] ?? [400, "Bad Request"];
    this.#log.debug({ code: error.code, status }, "malformed request refused");
    const { owed } = connection;
    const last = owed.at(-1);
    if (last === undefined) {
      this.#refuse(connection, status, title);
      return;
    }
    connection.refuse({ closesNow: false });
    closeAfterwards(last);
    last.once("close", () => connection.destroySoon());
    if (!last.req.complete) answerProblem(last, status, title, "Запрос пришёл повреждённым или не целиком. Повторите его.");
  }
}

const MALFORMED: Record<string, [number, string]> = {
  HPE_HEADER_OVERFLOW: [431, "Request Header Fields Too Large"],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, "Payload Too Large"],
  ERR_HTTP_REQUEST_TIMEOUT: [408, "Request Timeout"],
};

/** Calls `then` with the connection. Every connection of this server is a `CallerConnection`, although Node declares another type. */
function withCallerConnection(stream: unknown, then: (connection: CallerConnection) => void): void {
  if (stream instanceof CallerConnection) then(stream);
}

function closeAfterwards(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader("Connection", "close");
}
