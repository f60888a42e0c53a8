import { tokensFrom } from "./frame-tokens.ts";

/**
 * Frames of protocol 1.0, the same in both directions: `02 LEN DATA[LEN] LRC` (shtrih-protocol 1.2). Outside a frame, 02 begins a frame,
 * ENQ, ACK and NAK are control bytes, and every other byte is noise.
 */
export const STX = 0x02;
export const ENQ = 0x05;
export const ACK = 0x06;
export const NAK = 0x15;

/** The maximum of the length byte. */
const MAX_DATA_BYTES = 255;

/** Returns the frame with the data. Throws RangeError when the data is empty or does not fit into a frame, which is the caller's bug. */
export function frameOf(data: Uint8Array): Buffer {
  if (data.length === 0 || data.length > MAX_DATA_BYTES) throw new RangeError(`a frame holds 1 to 255 bytes, not ${data.length}`);
  const frame = Buffer.allocUnsafe(data.length + 3);
  frame[0] = STX;
  frame[1] = data.length;
  frame.set(data, 2);
  frame[frame.length - 1] = lrcOf(data);
  return frame;
}

/** Returns the exclusive or of the length and every byte of the data. */
export function lrcOf(data: Uint8Array): number {
  let lrc = data.length & 0xff;
  for (const byte of data) lrc ^= byte;
  return lrc;
}

export type Token =
  | { kind: "enq" | "ack" | "nak" }
  | { kind: "frame"; data: Buffer }
  /** An incomplete frame, or a frame with a wrong check byte or zero length. */
  | { kind: "damaged" }
  /** A meaningless byte outside a frame, such as the FF that some devices add. */
  | { kind: "noise"; byte: number };

/** Splits a stream of bytes into tokens. A 02 inside a frame is data (shtrih-protocol 1.7, case 10). Keeps at most one unfinished frame. */
export class FrameParser {
  readonly #data = Buffer.alloc(MAX_DATA_BYTES);
  #state: "outside" | "length" | "data" | "check" = "outside";
  #length = 0;
  #filled = 0;

  get insideFrame(): boolean {
    return this.#state !== "outside";
  }

  /** The number of bytes of an unfinished frame: always less than one whole frame. */
  get heldBytes(): number {
    if (this.#state === "outside") return 0;
    return this.#state === "length" ? 1 : 2 + this.#filled;
  }

  /** The received data of the newest frame. */
  get data(): Uint8Array {
    return this.#data.subarray(0, this.#filled);
  }

  get isDataNext(): boolean {
    return this.#state === "data";
  }

  push(bytes: Uint8Array): Token[] {
    return tokensFrom(bytes, (byte) => this.#take(byte));
  }

  abandon(): void {
    this.#state = "outside";
  }

  #take(byte: number): Token | undefined {
    switch (this.#state) {
      case "outside":
        return this.#outside(byte);
      case "length":
        return this.#begin(byte);
      case "data":
        this.#data[this.#filled++] = byte;
        if (this.#filled === this.#length) this.#state = "check";
        return undefined;
      case "check":
        return this.#finish(byte);
    }
  }

  #outside(byte: number): Token | undefined {
    switch (byte) {
      case STX:
        this.#state = "length";
        this.#filled = 0;
        return undefined;
      case ENQ:
        return { kind: "enq" };
      case ACK:
        return { kind: "ack" };
      case NAK:
        return { kind: "nak" };
      default:
        return { kind: "noise", byte };
    }
  }

  #begin(length: number): Token | undefined {
    this.#length = length;
    this.#state = length === 0 ? "outside" : "data";
    return length === 0 ? { kind: "damaged" } : undefined;
  }

  #finish(check: number): Token {
    this.#state = "outside";
    const data = this.#data.subarray(0, this.#length);
    return check === lrcOf(data) ? { kind: "frame", data: Buffer.from(data) } : { kind: "damaged" };
  }
}
