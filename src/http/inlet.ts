import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import type { Clock } from "../kernel/clock.ts";
import { SMALL_BODY_BYTES } from "./body-budget.ts";
import type { Passer, Standing, Turnstile } from "./turnstile.ts";
import { visitOf } from "./visit.ts";

/**
 * What is read of a connection before the parser has taken what was read earlier, on top of the last piece that the system
 * gives (64 KiB): headers are below it.
 */
export const READ_AHEAD_BYTES = 16 * 1024;
/**
 * The parser is given so much at once where it is not known how much belongs to a request: at most 160 of the shortest
 * requests, or 700 chunks of one byte.
 */
const SLICE_BYTES = 4 * 1024;
/** A connection that sends more than short headers and a small body before its first proof is no newcomer any more. */
const NEWCOMER_BYTES = SMALL_BODY_BYTES + SLICE_BYTES;
/** After the last answer a caller may still be sending; closed at once, the connection would be reset and the answer lost. */
const LINGER_MS = 2_000;

const HEADERS_END = Buffer.from("\r\n\r\n");

/** What is known of a connection, for whoever has to choose one that is closed. */
export type Use = "closing" | "idle-unproved" | "unproved" | "idle-proved" | "proved";

/**
 * One connection, between the socket and the HTTP parser: it gives the parser one request at a time, and the next one when the
 * answer has gone out. However much a caller sends ahead stays in the system's buffers, and nothing is answered that cannot be
 * sent. Where a request ends is only guessed here; the parser decides, and a wrong guess costs nothing but a little more work at once.
 */
export class Inlet extends Duplex implements Passer {
  readonly #socket: Socket;
  readonly #turnstile: Turnstile;
  readonly #clock: Clock;
  /** Told of each change of what was received and not looked at. */
  readonly #noteUnread: (moreBytes: number) => void;
  /** How long a connection stays open whose caller was refused before it had sent everything. */
  readonly #closeDelayMs: () => number;
  readonly #owed = new Set<ServerResponse>();
  #request: IncomingMessage | undefined;
  /** Bytes of the body that the length in the headers still leaves. */
  #bodyLeft = 0;
  /** The end of the last piece of headers: their end may be split. */
  #tail: Buffer = Buffer.alloc(0);
  #socketEnded = false;
  /** Nothing is read any more but to be thrown away. */
  #closing = false;
  /** The caller is sending something that nobody reads. */
  #lingering = false;
  /** Its end has been asked for; a server that stops asks with each answer that has gone out. */
  #ending = false;
  /** The socket stays open, and is closed by somebody else. */
  #released = false;
  #standing: Standing = "new";
  /** Given to the parser since the connection began, or since its last answer. */
  #fedBytes = 0;
  #writing: { bytes: number; sinceMs: number } | undefined;
  #activeMs: number;
  #unreadBytes = 0;

  constructor(
    socket: Socket,
    services: { turnstile: Turnstile; clock: Clock; noteUnread(moreBytes: number): void; closeDelayMs(): number },
  ) {
    super({ readableHighWaterMark: READ_AHEAD_BYTES });
    this.#socket = socket;
    this.#turnstile = services.turnstile;
    this.#clock = services.clock;
    this.#noteUnread = services.noteUnread;
    this.#closeDelayMs = services.closeDelayMs;
    this.#activeMs = services.clock.monotonicMs();
    socket.on("readable", () => this.#look());
    socket.once("end", () => {
      this.#socketEnded = true;
      this.#look();
    });
    socket.once("error", (error) => this.destroy(error));
    socket.once("close", () => this.destroy());
    socket.on("timeout", () => this.emit("timeout"));
    this.on("resume", () => this.#look());
    // Node listens as long as it reads; a connection that it has let go of fails alone.
    this.on("error", () => this.#turnstile.forget(this));
  }

  /** Of the other end. */
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
    // The platform's headers fit into one slice: a connection that sends more lets newcomers with shorter headers go first.
    const hasLongHeaders = this.#request === undefined && this.#fedBytes >= SLICE_BYTES;
    // What waits counts too: thousands with large bodies would each go once before a newcomer with a small one.
    const sentBytes = this.#fedBytes + this.#socket.readableLength;
    return hasLongHeaders || sentBytes > NEWCOMER_BYTES ? "unproved" : "new";
  }

  get use(): Use {
    if (this.#closing) return "closing";
    if (this.#owed.size === 0) return this.#standing === "proved" ? "idle-proved" : "idle-unproved";
    return [...this.#owed].some((response) => visitOf(response)?.proved === true) ? "proved" : "unproved";
  }

  /** When something was last given to the parser. */
  get activeMs(): number {
    return this.#activeMs;
  }

  /** Received, and not looked at yet. */
  get unreadBytes(): number {
    return this.#unreadBytes;
  }

  /** What is on its way to the other end, and since when. */
  get writing(): { bytes: number; sinceMs: number } | undefined {
    return this.#writing;
  }

  /** Answers that are owed, in their order. */
  get owed(): readonly ServerResponse[] {
    return [...this.#owed];
  }

  /** A request has come out of the parser. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    this.#request = request;
    this.#bodyLeft = Number(request.headers["content-length"] ?? 0);
    this.#owed.add(response);
    response.once("close", () => {
      this.#owed.delete(response);
      this.#standing = visitOf(response)?.proved === true ? "proved" : "unproved";
      this.#fedBytes = 0;
      this.#look();
    });
  }

  /** The turnstile lets one piece through. */
  pass(): void {
    if (this.destroyed) return;
    if (this.#closing) this.#socket.read();
    else this.#feed();
    this.#look();
  }

  /** Nothing that comes from now on is looked at, and something will come: the connection lingers after its last answer. */
  refuse(): void {
    this.#closing = true;
    this.#lingering = true;
    this.#look();
  }

  /** Ends once everything is sent; where the caller is still sending, as soon as it ends too. The name is that of a socket: Node calls it. */
  destroySoon(): void {
    if (this.#ending) return;
    this.#ending = true;
    const cutOff = !this.#lingering && this.#request?.complete === false;
    if (cutOff || this.#socket.readableLength > 0) this.#lingering = true;
    this.#closing = true;
    this.#look();
    const delayMs = cutOff ? this.#closeDelayMs() : 0;
    if (delayMs === 0) {
      this.#endSoon();
      return;
    }
    const cancel = this.#clock.after(delayMs, () => this.#endSoon());
    this.once("close", cancel);
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

  /** Ends at once; what was not sent is thrown away, also by the system. */
  reset(): void {
    this.#socket.resetAndDestroy();
    this.destroy();
  }

  /**
   * Ends with what was received and not looked at, while the connection stays open: nothing more is read of it. Whoever calls this
   * has to close the socket.
   */
  release(): Socket {
    const socket = this.#socket;
    this.#released = true;
    // A read of what lies there would ask the system for more.
    socket._read = () => {};
    socket.read();
    this.destroy();
    // Nothing of the request is kept for as long as the connection is open.
    socket.removeAllListeners();
    return socket.on("readable", () => void socket.read()).on("error", () => socket.destroy());
  }

  setTimeout(timeoutMs: number): this {
    this.#socket.setTimeout(timeoutMs);
    return this;
  }

  setNoDelay(on?: boolean): this {
    this.#socket.setNoDelay(on);
    return this;
  }

  override _read(): void {
    // What is pushed while Node asks for it is not handed over at once, and nobody would ask for more then.
    queueMicrotask(() => this.#look());
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#writing = { bytes: chunk.length, sinceMs: this.#clock.monotonicMs() };
    this.#socket.write(chunk, encoding, (error) => this.#written(done, error));
  }

  override _writev(chunks: { chunk: Buffer; encoding: BufferEncoding }[], done: (error?: Error | null) => void): void {
    const bytes = chunks.reduce((sum, { chunk }) => sum + chunk.length, 0);
    this.#writing = { bytes, sinceMs: this.#clock.monotonicMs() };
    this.#socket.cork();
    for (const [index, { chunk, encoding }] of chunks.entries()) {
      if (index < chunks.length - 1) this.#socket.write(chunk, encoding);
      else this.#socket.write(chunk, encoding, (error) => this.#written(done, error));
    }
    this.#socket.uncork();
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.end(() => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#turnstile.forget(this);
    this.#count(0);
    if (!this.#released) this.#socket.destroy();
    done(error);
  }

  #written(done: (error?: Error | null) => void, error: Error | null | undefined): void {
    this.#writing = undefined;
    done(error);
  }

  #feed(): void {
    const piece = this.#mayFeed() ? this.#piece() : undefined;
    if (piece === undefined) return;
    this.#activeMs = this.#clock.monotonicMs();
    this.#fedBytes += piece.length;
    this.push(piece);
  }

  /** Asks for a pass when there is something for the parser and it may have it, or something to be thrown away. */
  #look(): void {
    if (this.destroyed) return;
    this.#count(this.#socket.readableLength);
    if (this.destroyed) return;
    if (this.#socket.readableLength > 0) {
      if (this.#closing || this.#mayFeed()) this.#turnstile.ask(this);
      return;
    }
    // Only a read finds out that the end has come.
    this.#socket.read(0);
    if (this.#socketEnded && this.#mayFeed() && !this.readableEnded) this.push(null);
  }

  #count(unreadBytes: number): void {
    const more = unreadBytes - this.#unreadBytes;
    this.#unreadBytes = unreadBytes;
    if (more !== 0) this.#noteUnread(more);
  }

  /** Not while the parser is full, and not what lies behind a request that is not answered. */
  #mayFeed(): boolean {
    if (this.destroyed || this.#closing || this.isPaused() || this.readableLength > 0) return false;
    return this.#owed.size === 0 || this.#request?.complete !== true;
  }

  /** The rest of a body whose length is known, or headers up to their end, or a little of what nobody knows the length of. */
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
    this.#tail = end === -1 ? slice.subarray(-HEADERS_END.length) : Buffer.alloc(0);
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
    if (this.#socketEnded) {
      this.destroy();
      return;
    }
    const cancel = this.#clock.after(LINGER_MS, () => this.destroy());
    this.#socket.once("end", () => this.destroy());
    this.once("close", cancel);
  }
}

/** Where the slice has the end of the headers behind it, which may have begun in the piece before; -1 when it has none. */
function headersEndIn(tail: Buffer, slice: Buffer): number {
  for (let before = 1; before < HEADERS_END.length; before += 1) {
    const begun = tail.length >= before && tail.subarray(-before).equals(HEADERS_END.subarray(0, before));
    const rest = HEADERS_END.subarray(before);
    if (begun && slice.subarray(0, rest.length).equals(rest)) return rest.length;
  }
  const found = slice.indexOf(HEADERS_END);
  return found === -1 ? -1 : found + HEADERS_END.length;
}
