import type { Socket } from "node:net";
import type { Clock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import { CallerConnection } from "./caller-connection.ts";
import type { ClosingDelay } from "./closing-delay.ts";
import { readNoMore } from "./connection/read-no-more.ts";
import { readSendQueues, type SendQueues } from "./connection/send-queues.ts";
import { type Delivery, UndeliveredAnswers } from "./connection/undelivered-answers.ts";
import { UnreadBytes } from "./connection/unread-bytes.ts";
import type { Use } from "./connection/use.ts";
import { OrderedObjects } from "./ordered-objects.ts";
import type { ParseOrder } from "./parse-order.ts";
import type { ProvedNetworks } from "./proved-networks.ts";
import { SilentConnections } from "./silent-connections.ts";
import { networkOf } from "./source.ts";

/**
 * The maximum number of connections with an HTTP parser, which a connection gets when its first bytes have come. One process serves a few
 * hundred tills, and the platform's proxies use far fewer connections than there are tills. The remaining places are for unproved callers.
 * An idle connection of such a caller takes 10 KB.
 */
const MAX_CONNECTIONS = 4_096;
/**
 * The maximum number of connections without a parser, for each place with a parser. They have sent nothing yet, or are not read any more.
 * Each takes far less memory than a connection with a parser. An unproved caller replaces a closed connection immediately, which costs
 * more than leaving it open. With too few of these places a flood of 4,500 half bodies made 2,400 connections a second.
 */
const BARE_FOR_EACH = 2;
/** With more connections the server counts as crowded. The tills of one process and the platform's proxies use fewer. */
const CROWD = 512;
/**
 * How long a connection counts for the crowd after it was given away for another protocol. Thousands of strangers may open such connections
 * again and again. An agent (`agent`) stays connected for days, and a thousand agents are no crowd of strangers.
 */
const GIVEN_AWAY_MS = 10_000;
/**
 * The time limit for sending an answer: enough for the longest receipt, 300 KiB, at 0.12 Mbit/s. The connection of a caller that does not
 * read its answer is then closed.
 */
const SEND_LIMIT_MS = 20_000;
/** The maximum number of unsent bytes for all callers together: a hundred of the longest receipts. */
const MAX_UNSENT_BYTES = 32 * 1024 * 1024;
/**
 * How often a stranger's connection that the server has ended may stay for a further time limit of silent connections (`silentLimitMs`),
 * because its caller goes on taking its answers. With a limit of 10 s a caller that takes 0.1 Mbit/s gets the longest page, 600 KiB.
 */
const MOST_STAYS = 5;
/** How often the server looks for callers that do not read their answers, and for silent connections. */
const SWEEP_MS = 500;
/**
 * The maximum number of silent connections closed in one sweep. If all were closed together, a caller with thousands of silent connections
 * would open them again together.
 */
const SILENT_AT_ONCE = 64;
/**
 * A search finds at most this many connections that may be closed. The server closes them one by one when it needs places. A search costs
 * more than a closing, so one search serves many closings.
 */
const FOUND_AT_ONCE = 128;

/** The order of closing: the lowest number first. A connection with a running proved request is never closed to make room. */
const CLOSING_RANK: Record<Use, number> = {
  closing: 0,
  "idle-unproved": 1,
  unproved: 2,
  "idle-proved": 3,
  // The caller waits for an answer. The caller of an idle connection does not.
  returning: 4,
  proved: Number.POSITIVE_INFINITY,
};

interface ConnectionServices {
  clock: Clock;
  log: Log;
  parseOrder: ParseOrder;
  closingDelay: ClosingDelay;
  provedNetworks: ProvedNetworks;
  silentLimitMs: number;
  limit?: number;
  /** Asks the system for the bytes that it has still to send. */
  readQueues?: () => Promise<SendQueues | undefined>;
  /**
   * Called with true when more than `CROWD` connections (or more than half of `limit`, if that is less) are open or were given away lately.
   * Called with false when a sweep no longer finds so many.
   */
  onCrowd(crowded: boolean): void;
}

/** The open connections of a server. Decides which are closed when there are too many. */
export class Connections {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #parseOrder: ParseOrder;
  readonly #limit: number;
  readonly #bareLimit: number;
  readonly #silentLimitMs: number;
  readonly #closingDelay: ClosingDelay;
  readonly #provedNetworks: ProvedNetworks;
  readonly #silent: SilentConnections;
  readonly #connections = new OrderedObjects<CallerConnection>();
  /** The next connections to close, with their use at the time of the search, the least useful first. */
  #found: { connection: CallerConnection; use: Use }[] = [];
  #cancelSweep: (() => void) | undefined;
  #cancelLook: (() => void) | undefined;
  /** True when the log has reported that all places are taken. It reports again only after fewer than half of `#limit` were open. */
  #full = false;
  /**
   * True when the log has reported callers that do not read their answers. The log reports again only after a sweep has found no such
   * caller.
   */
  #slow = false;
  readonly #unread = new UnreadBytes<CallerConnection>();
  readonly #undelivered: UndeliveredAnswers;
  /** True when the server stops: then the system may keep what is undelivered. */
  #stopping = false;
  readonly #crowd: number;
  readonly #onCrowd: (crowded: boolean) => void;
  #crowded = false;
  /** The connections that were given away in the last `GIVEN_AWAY_MS` and are open. */
  #givenAway = 0;

  constructor(services: ConnectionServices) {
    this.#clock = services.clock;
    this.#log = services.log;
    this.#parseOrder = services.parseOrder;
    this.#closingDelay = services.closingDelay;
    this.#provedNetworks = services.provedNetworks;
    this.#silent = new SilentConnections(services.clock);
    const { clock, provedNetworks, readQueues = readSendQueues } = services;
    this.#undelivered = new UndeliveredAnswers({ clock, provedNetworks, readQueues, onWaiting: () => this.#lookSoon() });
    this.#onCrowd = services.onCrowd;
    this.#silentLimitMs = services.silentLimitMs;
    this.#limit = services.limit ?? MAX_CONNECTIONS;
    this.#bareLimit = BARE_FOR_EACH * this.#limit;
    this.#crowd = Math.min(CROWD, this.#limit / 2);
  }

  get count(): number {
    return this.#silent.size + this.#connections.size;
  }

  /** Bytes that were received and not read, and bytes that wait to be sent. */
  get bytes(): { unread: number; unsent: number } {
    const unsent = [...this.#connections].reduce((sum, { writing }) => sum + (writing?.bytes ?? 0), 0);
    return { unread: this.#unread.bytes, unsent };
  }

  /**
   * Calls `enter` when the first bytes have come. Closes the connection instead if it stays silent for too long, if silent connections have
   * no place left and it is the oldest, or if running proved requests have taken every place.
   */
  admit(socket: Socket, enter: (connection: CallerConnection) => void): void {
    // The connection was reset before it was accepted, so the system no longer knows the caller's address.
    if (socket.remoteAddress === undefined) {
      socket.destroy();
      return;
    }
    if (this.#silent.size >= this.#bareLimit) {
      this.#noteFull();
      this.#silent.giveUpOldest();
    }
    this.#silent.wait(socket, () => {
      if (this.#connections.size < this.#limit || this.#makeRoom()) enter(this.#open(socket));
      else socket.resetAndDestroy();
    });
    if (this.#isCrowd) this.#noteCrowd(true);
    this.#cancelSweep ??= this.#clock.after(SWEEP_MS, () => this.#sweep());
  }

  /** Drops the unanswered requests of a connection. Then closes the connection as late as a refused connection (closing-delay.ts). */
  breakOff(connection: CallerConnection): void {
    const delayMs = this.#closingDelay.nextDelayMs();
    if (delayMs === 0) connection.destroy();
    else this.#closeLater(connection, delayMs);
  }

  #closeLater(connection: CallerConnection, delayMs: number): void {
    const socket = this.#park(connection);
    const cancel = this.#clock.after(delayMs, () => this.#close(connection.delivery));
    socket.once("close", cancel);
  }

  /**
   * Keeps a connection's socket open, drops its parser and its request, and reads no more bytes. The socket is closed like a silent
   * connection, unless its caller closes it first.
   */
  #park(connection: CallerConnection): Socket {
    this.#forget(connection);
    const socket = connection.release();
    this.#silent.hold(socket, () => this.#close(connection.delivery));
    return socket;
  }

  /** Closes a connection. Drops the answers that its caller has not taken, unless they are few bytes or the server stops. */
  #close({ socket, isPending }: Delivery): void {
    if (isPending && !this.#stopping) socket.resetAndDestroy();
    else socket.destroy();
  }

  /**
   * Closes a connection whose stream has ended. If the caller is a stranger who has not taken all answers, the connection waits among the
   * silent connections for the caller to take the answers. Otherwise the system would keep the answers of a closed connection for minutes.
   * If bytes were not given to the system yet (`isCut`) or the server stops, the connection does not wait.
   */
  #leave(delivery: Delivery, isCut: boolean): void {
    if (isCut || !delivery.isPending || this.#stopping) {
      this.#close(delivery);
      return;
    }
    delivery.isEnded = true;
    readNoMore(delivery.socket).end();
    this.#awaitCaller(delivery, MOST_STAYS);
  }

  /** Keeps an ended connection among the silent ones as long as its caller goes on taking its answers, at most `stays` times more. */
  #awaitCaller(delivery: Delivery, stays: number): void {
    const beganMs = this.#clock.monotonicMs();
    this.#silent.hold(delivery.socket, () => {
      if (stays > 0 && !this.#stopping && delivery.sinceMs > beganMs) this.#awaitCaller(delivery, stays - 1);
      else this.#close(delivery);
    });
  }

  /**
   * Gives away a connection's socket for another protocol than HTTP. The connection then takes no place, but counts for the crowd during
   * `GIVEN_AWAY_MS`.
   */
  handOver(connection: CallerConnection): Socket {
    this.#forget(connection);
    const socket = connection.handOver();
    this.#givenAway += 1;
    let counts = true;
    const over = () => {
      if (counts) this.#givenAway -= 1;
      counts = false;
      cancel();
    };
    const cancel = this.#clock.after(GIVEN_AWAY_MS, over);
    socket.once("close", over);
    return socket;
  }

  get #isCrowd(): boolean {
    return this.count + this.#givenAway > this.#crowd;
  }

  /** Closes the connections without an answer to send, because the server stops. */
  closeIdle(): void {
    this.#stopping = true;
    this.#silent.closeSilent(0, Number.POSITIVE_INFINITY);
    for (const connection of this.#connections) if (connection.owed.length === 0) connection.destroySoon();
  }

  #open(socket: Socket): CallerConnection {
    const noteUnread = (each: CallerConnection, moreBytes: number) => this.#noteUnread(each, moreBytes);
    const closeDelayMs = () => this.#closingDelay.nextDelayMs();
    const park = (each: CallerConnection) => void this.#park(each);
    const leave = (delivery: Delivery, isCut: boolean) => this.#leave(delivery, isCut);
    const delivery = this.#undelivered.open(socket);
    const order = { parseOrder: this.#parseOrder, clock: this.#clock };
    const connection = new CallerConnection(socket, { ...order, noteUnread, closeDelayMs, park, delivery, leave });
    this.#connections.add(connection);
    connection.once("close", () => this.#forget(connection));
    return connection;
  }

  #forget(connection: CallerConnection): void {
    this.#connections.delete(connection);
    this.#undelivered.forget(connection.delivery);
    if (this.count < this.#limit / 2) this.#full = false;
  }

  /**
   * Frees a place with a parser. A connection whose last request was proved is closed immediately: its caller opens another connection when
   * it needs one. Returns false when every connection has a running proved request.
   */
  #makeRoom(): boolean {
    this.#noteFull();
    const least = this.#leastUsed();
    if (least === undefined) return false;
    const delayMs = isOfKnown(least.use) ? 0 : this.#closingDelay.nextDelayMs();
    if (delayMs > 0) this.#closeLater(least, delayMs);
    else {
      this.#forget(least);
      least.reset();
    }
    return true;
  }

  #noteFull(): void {
    if (this.#full) return;
    this.#full = true;
    this.#log.warn({ limit: this.#limit }, "as many connections as the server takes are open: those of least use are closed");
  }

  #leastUsed(): CallerConnection | undefined {
    if (this.#found.length === 0) this.#found = this.#find();
    for (let next = this.#found.shift(); next !== undefined; next = this.#found.shift()) {
      const { connection, use } = next;
      if (this.#connections.has(connection) && connection.use === use) return connection;
      if (this.#found.length === 0) this.#found = this.#find();
    }
    return undefined;
  }

  /**
   * Returns the least useful connections, all of the same use. Returns only one connection if its last request was proved: less useful
   * connections may come before the next place is needed.
   */
  #find(): { connection: CallerConnection; use: Use }[] {
    const [least, ...others] = this.#byUse();
    if (least === undefined) return [];
    if (isOfKnown(least.use)) return [least];
    return [least, ...others.filter(({ use }) => use === least.use).slice(0, FOUND_AT_ONCE - 1)];
  }

  /**
   * Returns the connections that may be closed, sorted by use. Within one use: first those of networks without a proved request, if these
   * networks have more than half of the connections; then those of the networks with the most connections; then those unused longest.
   */
  #byUse(): { connection: CallerConnection; use: Use }[] {
    const all = [...this.#connections].map((connection) => {
      const { use, activeMs, remoteAddress } = connection;
      const network = networkOf(remoteAddress);
      return { connection, use, activeMs, network, isStrange: !this.#provedNetworks.has(network) };
    });
    const perNetwork = new Map<string, number>();
    for (const { network } of all) perNetwork.set(network, (perNetwork.get(network) ?? 0) + 1);
    const most = Math.max(...perNetwork.values());
    const strangeFirst = 2 * all.filter(({ isStrange }) => isStrange).length > all.length;
    const rankOf = ({ isStrange, network }: (typeof all)[number]) =>
      Number(strangeFirst && isStrange) * 2 + Number(perNetwork.get(network) === most);
    return all
      .filter(({ use }) => Number.isFinite(CLOSING_RANK[use]))
      .sort((a, b) => CLOSING_RANK[a.use] - CLOSING_RANK[b.use] || rankOf(b) - rankOf(a) || a.activeMs - b.activeMs);
  }

  #noteCrowd(crowded: boolean): void {
    if (crowded === this.#crowded) return;
    this.#crowded = crowded;
    this.#onCrowd(crowded);
  }

  #sweep(): void {
    this.#silent.closeSilent(this.#silentLimitMs, SILENT_AT_ONCE);
    if (!this.#isCrowd) this.#noteCrowd(false);
    this.#cancelSweep = this.count + this.#givenAway > 0 ? this.#clock.after(SWEEP_MS, () => this.#sweep()) : undefined;
    const nowMs = this.#clock.monotonicMs();
    const sending = [...this.#connections].filter(({ writing }) => writing !== undefined).sort((a, b) => sinceOf(a) - sinceOf(b));
    let { unsent } = this.bytes;
    let closed = 0;
    for (const connection of sending) {
      if (sinceOf(connection) + SEND_LIMIT_MS > nowMs && unsent <= MAX_UNSENT_BYTES) break;
      unsent -= connection.writing?.bytes ?? 0;
      connection.reset();
      closed += 1;
    }
    void this.#resetUndelivered(closed);
  }

  /** Asks the system earlier than at the next sweep, because an answer waits. */
  #lookSoon(): void {
    this.#cancelLook ??= this.#clock.after(this.#undelivered.pauseMs, () => {
      this.#cancelLook = undefined;
      void this.#undelivered.lookForRoom();
    });
  }

  /** `closed`: how many connections the sweep has closed already. */
  async #resetUndelivered(closed: number): Promise<void> {
    const undelivered = await this.#undelivered.look();
    if (undelivered === undefined && closed === 0) return;
    const all = closed + (undelivered ?? 0);
    if (all > 0 && !this.#slow) this.#log.warn({ closed: all }, "connections were closed: their callers do not take their answers");
    this.#slow = all > 0;
  }

  #noteUnread(connection: CallerConnection, moreBytes: number): void {
    this.#unread.count(connection);
    if (moreBytes <= 0) return;
    // After a reset a stranger would immediately connect again and send as much again. So the connection stays open, and nothing more is
    // read from it.
    for (let most = this.#unread.excessStranger(); most !== undefined; most = this.#unread.excessStranger()) this.#park(most);
    // By the reset a proved caller immediately learns that its request was not read, and repeats it.
    for (let most = this.#unread.excessProved(); most !== undefined; most = this.#unread.excessProved()) {
      this.#forget(most);
      most.reset();
    }
  }
}

/** True for a connection whose last request was proved. */
function isOfKnown(use: Use): boolean {
  return use === "idle-proved" || use === "returning";
}

function sinceOf({ writing }: CallerConnection): number {
  return writing?.sinceMs ?? Number.POSITIVE_INFINITY;
}
