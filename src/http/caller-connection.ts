import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import type { Clock } from "../kernel/clock.ts";
import { SMALL_BODY_BYTES } from "./body-budget.ts";
import { closeResponses } from "./connection/close-responses.ts";
import { headersEndIn, isLineBreaks, TAIL_BYTES } from "./connection/pieces.ts";
import { readNoMore } from "./connection/read-no-more.ts";
import type { Delivery } from "./connection/undelivered-answers.ts";
import type { Use } from "./connection/use.ts";
import { writeTogether } from "./connection/write-together.ts";
import { OrderedObjects } from "./ordered-objects.ts";
import type { ParseOrder, Standing, WaitingCaller } from "./parse-order.ts";
import { unprovedRequestOf } from "./unproved-request.ts";

/** Bytes read from the socket in advance: enough for the headers of a request. Node may read one more piece of up to 64 KiB. */
export const READ_AHEAD_BYTES = 16 * 1024;
/**
 * The size of a piece for the parser while the length of the request is unknown. A piece contains at most 160 of the shortest requests, or
 * 700 chunks of one byte.
 */
const SLICE_BYTES = 4 * 1024;
/** A connection that has sent more than this without a proof is no longer new. Short headers and a small body fit. */
const NEWCOMER_BYTES = SMALL_BODY_BYTES + SLICE_BYTES;
/**
 * The most bytes of a body that are read and dropped after the answer. A caller may send its whole body, of up to 1 MiB, before it reads the
 * answer. Without this limit a caller could send without an end what nobody reads.
 */
const MAX_UNWANTED_BYTES = 2 * 1024 * 1024;
/** How long a connection stays open after its last answer while the caller still sends: an early close would lose the answer. */
const LINGER_MS = 2_000;

/**
 * A connection, between the socket and the HTTP parser. It passes the next request to the parser only after the previous answer was sent.
 * Until then the bytes of the next request stay in the system's buffers. So no request is handled before its answer can be sent. This class
 * only guesses where a request ends; the parser decides. A wrong guess only makes one step of work a little longer.
 */
export class CallerConnection extends Duplex implements WaitingCaller {
  readonly #socket: Socket;
  readonly #parseOrder: ParseOrder;
  readonly #clock: Clock;
  readonly #noteUnread: (moreBytes: number) => void;
  /** How long a connection stays open after its caller was refused in the middle of a request. */
  readonly #closeDelayMs: () => number;
  /**
   * Called when the answer was given to the system, and the connection only has to be closed later. This stream and its parser are then not
   * needed any more.
   */
  readonly #park: () => void;
  /** Counts the answers to a stranger. */
  readonly delivery: Delivery;
  /** Closes the socket: immediately if `isCut` (some bytes were not given to the system yet), otherwise when the answers are delivered. */
  readonly #leave: (isCut: boolean) => void;
  readonly #owed = new OrderedObjects<ServerResponse>();
  /** The newest request, until it is complete and answered. Kept longer, its headers would fill the memory of thousands of idle connections. */
  #request: IncomingMessage | undefined;
  /** Bytes of the body that are still to come, by the length in the headers. */
  #bodyLeft = 0;
  /** The last bytes of the previous piece of headers: the end of the headers may be split between two pieces. */
  #tail: Buffer = Buffer.alloc(0);
  #socketEnded = false;
  /** True when all further bytes are dropped. */
  #closing = false;
  /** True when the caller still sends bytes, which are dropped. The connection then stays open for a while after its last answer. */
  #lingering = false;
  /** True when the caller was refused behind its last request or in the middle of it. */
  #cutOff = false;
  /** True when Node has asked to end the connection. A stopping server asks again after each answer. */
  #ending = false;
  /** True when the socket was given away. Its new owner closes it. */
  #released = false;
  #standing: Standing = "new";
  #everProved = false;
  /** Bytes given to the parser since the connection's last answer. Before the first answer: since the connection began. */
  #fedBytes = 0;
  #writing: { bytes: number; sinceMs: number } | undefined;
  #cancelTimeout: (() => void) | undefined;
  #activeMs: number;
  #unreadBytes = 0;

  constructor(
    socket: Socket,
    services: {
      parseOrder: ParseOrder;
      clock: Clock;
      noteUnread(connection: CallerConnection, moreBytes: number): void;
      closeDelayMs(): number;
      park(connection: CallerConnection): void;
      delivery: Delivery;
      leave(delivery: Delivery, isCut: boolean): void;
    },
  ) {
    super({ readableHighWaterMark: READ_AHEAD_BYTES });
    this.#socket = socket;
    this.#parseOrder = services.parseOrder;
    this.#clock = services.clock;
    this.#noteUnread = (moreBytes) => services.noteUnread(this, moreBytes);
    this.#closeDelayMs = services.closeDelayMs;
    this.#park = () => services.park(this);
    this.delivery = services.delivery;
    this.#leave = (isCut) => services.leave(this.delivery, isCut);
    this.#activeMs = services.clock.monotonicMs();
    socket.on("readable", () => this.#look());
    socket.once("end", () => {
      this.#socketEnded = true;
      this.#look();
    });
    socket.once("error", (error) => this.destroy(error));
    socket.once("close", () => this.destroy());
    this.on("resume", () => this.#look());
    // Node listens for errors only while it reads. Without a listener a later error would end the process.
    this.on("error", () => this.#parseOrder.forget(this));
    // Runs after Node's own listeners, which close the responses that Node still knows.
    this.once("close", () => queueMicrotask(() => closeResponses(this.#owed)));
  }

  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress;
  }

  get remotePort(): number | undefined {
    return this.#socket.remotePort;
  }

  get remoteFamily(): string | undefined {
    return this.#socket.remoteFamily;
  }

  get standing(): Standing {
    if (this.#closing) return "unproved";
    if (this.#standing !== "new") return this.#standing;
    // The platform's headers fit into one slice. A connection with longer headers no longer counts as new.
    const hasLongHeaders = this.#request === undefined && this.#fedBytes >= SLICE_BYTES;
    // Waiting bytes count too. Otherwise thousands of callers with large bodies would each pass a piece before a new caller with a small
    // body.
    const sentBytes = this.#fedBytes + this.#socket.readableLength;
    return hasLongHeaders || sentBytes > NEWCOMER_BYTES ? "unproved" : "new";
  }

  get use(): Use {
    if (this.#closing) return "closing";
    const wasProved = this.#standing === "proved";
    // After a proved request, a connection with bytes for the parser is not idle: the headers of the next request may be arriving.
    if (this.#owed.size === 0 && !(wasProved && this.#fedBytes > 0)) return wasProved ? "idle-proved" : "idle-unproved";
    if ([...this.#owed].some((response) => unprovedRequestOf(response)?.proved === true)) return "proved";
    return wasProved ? "returning" : "unproved";
  }

  /** True when any request of this connection was proved: an answered request or a running one. */
  get everProved(): boolean {
    return this.#everProved || this.use === "proved";
  }

  /** When the parser last got bytes, on the monotonic clock. Before its first bytes: when the connection was opened. */
  get activeMs(): number {
    return this.#activeMs;
  }

  /** Bytes received and not yet given to the parser. */
  get unreadBytes(): number {
    return this.#unreadBytes;
  }

  /** How many bytes are being sent to the caller, and when the system got them. `sinceMs` is Infinity while they wait for room. */
  get writing(): { bytes: number; sinceMs: number } | undefined {
    return this.#writing;
  }

  get owed(): readonly ServerResponse[] {
    return [...this.#owed];
  }

  /** Notes that the parser has read the headers of a request. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    this.#request = request;
    this.#bodyLeft = Number(request.headers["content-length"] ?? 0);
    this.#owed.add(response);
    response.once("close", () => {
      this.#owed.delete(response);
      this.#standing = unprovedRequestOf(response)?.proved === true ? "proved" : "unproved";
      this.#everProved ||= this.#standing === "proved";
      this.#fedBytes = 0;
      this.#look();
    });
  }

  /** Passes one piece to the parser, or drops the received bytes of a closing connection. Called by `ParseOrder`. */
  pass(): void {
    if (this.destroyed) return;
    if (this.#closing) this.#socket.read();
    else this.#feed();
    this.#look();
  }

  /**
   * Drops all further bytes. `closesNow`: the caller of this method closes the connection when it is due. The connection then only stays open
   * for a while after its last answer, because the caller may still send. Otherwise `destroySoon` delays the end.
   */
  refuse({ closesNow }: { closesNow: boolean }): void {
    this.#closing = true;
    if (closesNow) this.#lingering = true;
    else this.#cutOff = true;
    this.#look();
  }

  /**
   * Ends the connection when everything is sent. If the caller is still sending, waits until the caller ends the connection, at most
   * `LINGER_MS`. If the caller was refused, or the answer came before the end of a body, the connection is parked instead, unless `refuse`
   * was told `closesNow` or `#closeDelayMs` returns 0. Node calls this method as it calls the method of this name on a socket.
   */
  destroySoon(): void {
    if (this.#ending) return;
    this.#ending = true;
    const cutOff = !this.#lingering && (this.#cutOff || this.#request?.complete === false);
    if (cutOff || this.#socket.readableLength > 0) this.#lingering = true;
    this.#closing = true;
    this.#look();
    if (!cutOff || this.#closeDelayMs() === 0) this.#endSoon();
    // This empty write's callback runs after all earlier bytes were sent.
    else this.write("", (error) => void (error == null && !this.destroyed && this.#park()));
  }

  #endSoon(): void {
    const leave = () => {
      if (this.#lingering) this.#linger();
      else this.destroy();
    };
    if (this.writable) this.end();
    if (this.writableFinished) leave();
    else this.once("finish", leave);
  }

  /** Ends without waiting. Unsent bytes are dropped, even those that the system already has. */
  reset(): void {
    this.#socket.resetAndDestroy();
    this.destroy();
  }

  /**
   * Gives the socket away and ends this stream. Drops the bytes that were received, and reads no more. The socket stays open: the caller of
   * this method must close it.
   */
  release(): Socket {
    this.#released = true;
    this.destroy();
    return readNoMore(this.#socket);
  }

  /**
   * Gives the socket away and ends this stream: the caller wants another protocol. Bytes after the request stay readable. The new owner
   * must close the socket.
   */
  handOver(): Socket {
    const socket = this.#socket;
    this.#released = true;
    const read: Buffer | null = this.read();
    this.delivery.stopCounting();
    this.destroy();
    socket.removeAllListeners();
    if (read !== null) socket.unshift(read);
    return socket.on("error", () => socket.destroy());
  }

  /**
   * Sets the time limit for the next request. Node calls this with the idle limit after an answer, and with 0 after the next headers.
   * Received bytes do not restart this timer, although they restart a socket's own timer: otherwise a caller could send line breaks between
   * two requests and hold the connection for ever.
   */
  setTimeout(timeoutMs: number): this {
    this.#cancelTimeout?.();
    const waits = timeoutMs > 0 && !this.destroyed;
    this.#cancelTimeout = waits ? this.#clock.after(timeoutMs, () => this.emit("timeout")) : undefined;
    return this;
  }

  setNoDelay(on?: boolean): this {
    this.#socket.setNoDelay(on);
    return this;
  }

  override _read(): void {
    // Node does not pass on bytes pushed inside `_read`, and would not ask again. So the push comes later.
    queueMicrotask(() => this.#look());
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#send(chunk.length, () => this.#socket.write(chunk, encoding, (error) => this.#written(done, error)));
  }

  override _writev(chunks: { chunk: Buffer; encoding: BufferEncoding }[], done: (error?: Error | null) => void): void {
    const bytes = chunks.reduce((sum, { chunk }) => sum + chunk.length, 0);
    this.#send(bytes, () => writeTogether(this.#socket, chunks, (error) => this.#written(done, error)));
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(() => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#parseOrder.forget(this);
    this.#cancelTimeout?.();
    this.#count(0);
    if (!this.#released) this.#leave(this.#writing !== undefined);
    done(error);
  }

  #send(bytes: number, give: () => void): void {
    if (this.everProved) this.delivery.stopCounting();
    // From here on the requests wait only until their caller reads the answers. If they counted as being handled, callers that read nothing
    // would keep newcomers waiting.
    for (const response of this.#owed) unprovedRequestOf(response)?.setAside();
    this.#writing = { bytes, sinceMs: Number.POSITIVE_INFINITY };
    this.delivery.send(bytes, () => {
      this.#writing = { bytes, sinceMs: this.#clock.monotonicMs() };
      give();
    });
  }

  #written(done: (error?: Error | null) => void, error: Error | null | undefined): void {
    this.#writing = undefined;
    done(error);
  }

  #feed(): void {
    const piece = this.#mayFeed() ? this.#piece() : undefined;
    if (piece === undefined) return;
    // The next request has begun: its headers have their own limit.
    if (this.#request?.complete !== false && !isLineBreaks(piece)) this.setTimeout(0);
    this.#activeMs = this.#clock.monotonicMs();
    this.#fedBytes += piece.length;
    const isUnwanted = this.#owed.size === 0 && this.#request?.complete === false;
    if (isUnwanted && this.#fedBytes > MAX_UNWANTED_BYTES) this.destroySoon();
    else this.push(piece);
  }

  /** Asks `ParseOrder` for a pass when the parser may get bytes, or when bytes must be dropped. */
  #look(): void {
    if (this.destroyed) return;
    if (this.#owed.size === 0 && this.#request?.complete === true) this.#request = undefined;
    this.#count(this.#socket.readableLength);
    if (this.destroyed) return;
    if (this.#socket.readableLength > 0) {
      if (this.#closing || this.#mayFeed()) this.#parseOrder.ask(this);
      return;
    }
    // The socket is read even when no bytes are wanted, because it notices its end only when it is read.
    this.#socket.read(0);
    if (this.#socketEnded && this.#mayFeed() && !this.readableEnded) this.push(null);
  }

  #count(unreadBytes: number): void {
    const more = unreadBytes - this.#unreadBytes;
    this.#unreadBytes = unreadBytes;
    if (more !== 0) this.#noteUnread(more);
  }

  /** True when the parser may get bytes: the connection is open, the parser took its last piece, and no complete request is unanswered. */
  #mayFeed(): boolean {
    if (this.destroyed || this.#closing || this.isPaused() || this.readableLength > 0) return false;
    return this.#owed.size === 0 || this.#request?.complete !== true;
  }

  /**
   * Returns the next bytes for the parser: the rest of a body of known length, headers up to their end, or one slice when the length is
   * unknown.
   */
  #piece(): Buffer | undefined {
    const waiting = this.#socket.readableLength;
    if (waiting === 0) return undefined;
    if (this.#request?.complete === false) {
      const ofBody = Math.min(waiting, this.#bodyLeft > 0 ? this.#bodyLeft : SLICE_BYTES);
      this.#bodyLeft = Math.max(0, this.#bodyLeft - ofBody);
      return this.#take(ofBody);
    }
    const slice = this.#take(Math.min(waiting, SLICE_BYTES));
    if (slice === undefined) return undefined;
    const end = headersEndIn(this.#tail, slice);
    this.#tail = end === -1 ? slice.subarray(-TAIL_BYTES) : Buffer.alloc(0);
    if (end === -1 || end === slice.length) return slice;
    this.#socket.unshift(slice.subarray(end));
    return slice.subarray(0, end);
  }

  #take(bytes: number): Buffer | undefined {
    const taken: Buffer | null = this.#socket.read(bytes);
    return taken ?? undefined;
  }

  #linger(): void {
    if (this.destroyed) return;
    if (this.#socketEnded) return void this.destroy();
    const cancel = this.#clock.after(LINGER_MS, () => this.destroy());
    this.#socket.once("end", () => this.destroy());
    this.once("close", cancel);
  }
}
