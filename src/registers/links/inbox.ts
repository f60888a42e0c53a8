import { type Clock, nextTurn } from "../../kernel/clock.ts";
import type { Deadline } from "../../kernel/deadline.ts";
import type { Received } from "./link.ts";

/** The limit of unread bytes. A device's answer has hundreds of bytes, so more is a line fault. */
const MAX_WAITING_BYTES = 65_536;
/** The limit of bytes that one `take` returns. The reader may handle each byte by itself, which takes microseconds. */
const MAX_PIECE_BYTES = 1_024;

interface Source {
  pause(): void;
  resume(): void;
}

/** The receiving half of every link. Either bytes wait for `take`, or `take` waits for bytes. */
export class Inbox {
  readonly #clock: Clock;
  #chunks: Buffer[] = [];
  #waitingBytes = 0;
  #lost: string | undefined;
  #wake: (() => void) | undefined;
  #source: Source | undefined;
  #paused = false;
  /** Whether the last `take` left bytes for the next. */
  #isPieceLeft = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The reason of the loss. Undefined: the link is not lost. */
  get lost(): string | undefined {
    return this.#lost;
  }

  /**
   * Sets the source of the bytes. When a `take` leaves bytes, the source is paused until a `take` leaves none, because a device may
   * send faster than the reader reads.
   */
  fedBy(source: Source): void {
    this.#source = source;
  }

  /** Stores bytes. Returns false, and drops the bytes, when there is no room. After a loss, drops the bytes and returns true. */
  put(bytes: Uint8Array): boolean {
    if (this.#lost !== undefined || bytes.length === 0) return true;
    if (this.#waitingBytes + bytes.length > MAX_WAITING_BYTES) return false;
    this.#chunks.push(Buffer.from(bytes));
    this.#waitingBytes += bytes.length;
    this.#wake?.();
    return true;
  }

  /** Marks the link as lost. Bytes that have arrived stay readable. A later call does not change the reason. */
  end(reason: string): void {
    this.#lost ??= reason;
    this.#wake?.();
  }

  /** See `Link.read`. */
  async take(deadline: Deadline): Promise<Received> {
    if (this.#chunks.length === 0 && this.#lost === undefined && deadline.remainingMs() > 0) await this.#arrival(deadline);
    if (this.#isPieceLeft) await nextTurn();
    if (this.#chunks.length > 0) return { kind: "bytes", bytes: this.#takePiece() };
    return this.#lost === undefined ? { kind: "silence" } : { kind: "lost", reason: this.#lost };
  }

  #takePiece(): Buffer {
    const [only] = this.#chunks;
    const bytes = only !== undefined && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks);
    const piece = bytes.subarray(0, MAX_PIECE_BYTES);
    this.#waitingBytes = bytes.length - piece.length;
    this.#chunks = this.#waitingBytes === 0 ? [] : [bytes.subarray(piece.length)];
    this.#isPieceLeft = this.#waitingBytes > 0;
    this.#hold(this.#isPieceLeft);
    return piece;
  }

  #hold(held: boolean): void {
    if (held === this.#paused || this.#source === undefined || this.#lost !== undefined) return;
    this.#paused = held;
    if (held) this.#source.pause();
    else this.#source.resume();
  }

  #arrival(deadline: Deadline): Promise<void> {
    return new Promise((resolve) => {
      const finish = () => {
        cancel();
        this.#wake = undefined;
        resolve();
      };
      const cancel = this.#clock.after(deadline.remainingMs(), finish);
      this.#wake = finish;
    });
  }
}
