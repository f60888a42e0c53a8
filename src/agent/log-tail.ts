import { cutText } from "../kernel/cut-text.ts";
import { MAX_LOG_LINES } from "../registers/agent/wire/frames-schema.ts";

/** The limit of a line, in characters. The wire allows 16 384. */
const MAX_LINE = 8_192;
/** The limit of the unsent lines, in bytes. Above it the oldest unsent lines are dropped and counted. */
const MAX_WAITING_BYTES = 256 * 1024;
/**
 * The limit of the lines in one frame or answer, in bytes. Even if JSON must escape every character, the frame stays below the limit of the
 * wire (`MAX_FRAME_BYTES`).
 */
const MAX_BATCH_BYTES = 128 * 1024;

interface LogBatch {
  log: string[];
  /** The number of lines that were dropped before these lines. */
  dropped?: number;
}

/** The newest lines of the agent's log, and the unsent lines. */
export class LogTail {
  #newest: string[] = [];
  #waiting: string[] = [];
  #waitingBytes = 0;
  #dropped = 0;

  add(line: string): void {
    const text = cutText(line.trimEnd(), MAX_LINE);
    this.#newest.push(text);
    if (this.#newest.length > 2 * MAX_LOG_LINES) this.#newest = this.#newest.slice(-MAX_LOG_LINES);
    this.#waiting.push(text);
    this.#waitingBytes += Buffer.byteLength(text);
    while (this.#waitingBytes > MAX_WAITING_BYTES) {
      this.#waitingBytes -= Buffer.byteLength(this.#waiting.shift() ?? "");
      this.#dropped += 1;
    }
  }

  /** Returns the newest lines, the oldest first: at most `count`, and no more than fit into one frame. */
  newest(count: number): string[] {
    const lines = this.#newest.slice(-Math.min(count, MAX_LOG_LINES));
    let from = lines.length;
    for (let bytes = 0; from > 0; from -= 1) {
      bytes += Buffer.byteLength(lines[from - 1] ?? "");
      if (bytes > MAX_BATCH_BYTES) break;
    }
    return lines.slice(from);
  }

  /** Removes and returns the oldest unsent lines, as many as fit into one frame. Undefined: there are none. */
  take(): LogBatch | undefined {
    if (this.#waiting.length === 0) return undefined;
    let count = 0;
    let bytes = 0;
    for (const line of this.#waiting) {
      const size = Buffer.byteLength(line);
      if (count === MAX_LOG_LINES || bytes + size > MAX_BATCH_BYTES) break;
      count += 1;
      bytes += size;
    }
    this.#waitingBytes -= bytes;
    const log = this.#waiting.splice(0, count);
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped === 0 ? { log } : { log, dropped };
  }
}
