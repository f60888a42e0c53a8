import type { Socket } from "node:net";
import type { Clock } from "../../../../kernel/clock.ts";
import type { Log } from "../../../../kernel/log.ts";

/** The platform's limits for one connection (json-api 4). Beyond these limits the platform may answer 500. */
const MAX_REQUESTS = 100;
const MAX_IDLE_MS = 30_000;
/** After each 20 connections in a row with one request, counted over all callers, a warning says that connections are not reused. */
const SINGLE_IN_A_ROW = 20;

interface Connection {
  requests: number;
  idleSinceMs: number;
}

/** Counts how callers use connections, and logs uses that the platform forbids. Never refuses a request (json-api D41). */
export class Connections {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #open = new Map<Socket, Connection>();
  readonly #counts = { opened: 0, single: 0, overused: 0, idle: 0 };
  #singleInARow = 0;

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** A connection was opened. */
  opened(socket: Socket): void {
    this.#counts.opened += 1;
    this.#open.set(socket, { requests: 0, idleSinceMs: this.#clock.monotonicMs() });
    socket.once("close", () => this.#closed(socket));
  }

  /** A request came. Counts the idle time since the last answer, or since the opening. */
  requested(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    this.#countIdle(connection);
    connection.requests += 1;
    if (connection.requests === 2) this.#singleInARow = 0;
    if (connection.requests !== MAX_REQUESTS + 1) return;
    this.#counts.overused += 1;
    this.#log.warn({ limit: MAX_REQUESTS }, "a connection has carried more requests than the platform takes on one");
  }

  /** A request was answered. The connection is idle from now on. */
  answered(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection !== undefined) connection.idleSinceMs = this.#clock.monotonicMs();
  }

  /** Returns the counts for `GET sandbox/counters`. */
  told(): object {
    const { opened, single, overused, idle } = this.#counts;
    return { opened, open: this.#open.size, withOneRequest: single, above100Requests: overused, idleOver30s: idle };
  }

  #countIdle({ requests, idleSinceMs }: Connection): void {
    const idleMs = this.#clock.monotonicMs() - idleSinceMs;
    if (requests === 0 || idleMs <= MAX_IDLE_MS) return;
    this.#counts.idle += 1;
    this.#log.warn({ idleMs: Math.round(idleMs), limitMs: MAX_IDLE_MS }, "a connection was idle longer than the platform keeps it");
  }

  #closed(socket: Socket): void {
    const connection = this.#open.get(socket);
    this.#open.delete(socket);
    if (connection?.requests !== 1) return;
    this.#counts.single += 1;
    this.#singleInARow += 1;
    if (this.#singleInARow % SINGLE_IN_A_ROW !== 0) return;
    this.#log.warn(
      { connections: this.#singleInARow },
      "connections in a row carried one request each: the platform bans callers that do not reuse them",
    );
  }
}
