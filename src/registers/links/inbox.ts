import type { Clock } from "../../kernel/clock.ts";
import type { Deadline } from "../../kernel/deadline.ts";
import type { Received } from "./link.ts";

/** Most bytes kept while nobody reads. A device answers in hundreds of bytes, so more is a fault of the line. */
const MAX_WAITING_BYTES = 65_536;

/** The receiving half of every link: bytes that wait for `read`, or a `read` that waits for bytes. */
export class Inbox {
  readonly #clock: Clock;
  #chunks: Buffer[] = [];
  #waitingBytes = 0;
  #lost: string | undefined;
  #wake: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The reason of the loss, once the link was lost. */
  get lost(): string | undefined {
    return this.#lost;
  }

  /** False when there was no room and the bytes were dropped. */
  put(bytes: Uint8Array): boolean {
    if (this.#lost !== undefined || bytes.length === 0) return true;
    if (this.#waitingBytes + bytes.length > MAX_WAITING_BYTES) return false;
    this.#chunks.push(Buffer.from(bytes));
    this.#waitingBytes += bytes.length;
    this.#wake?.();
    return true;
  }

  /** No more bytes will come. Those that came can still be read. The first reason stands. */
  end(reason: string): void {
    this.#lost ??= reason;
    this.#wake?.();
  }

  async take(deadline: Deadline): Promise<Received> {
    if (this.#chunks.length === 0 && this.#lost === undefined && deadline.remainingMs() > 0) await this.#arrival(deadline);
    if (this.#chunks.length > 0) return { kind: "bytes", bytes: this.#takeAll() };
    return this.#lost === undefined ? { kind: "silence" } : { kind: "lost", reason: this.#lost };
  }

  #takeAll(): Buffer {
    const [only] = this.#chunks;
    const bytes = only !== undefined && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#waitingBytes = 0;
    return bytes;
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
