import { tokensFrom } from "./frame-tokens.ts";

/**
 * Frames of protocol 2.0, the same in both directions: `8F LEN16 NUM16 DATA CRC16`. After the first 8F, the bytes 8F and 9F are escaped as
 * two bytes each, so an 8F always begins a frame (shtrih-protocol 2.1). There are no single control bytes.
 */
export const FRAME_START = 0x8f;
const ESCAPE = 0x9f;
/** The second byte of an escape, for each of the two escaped bytes. */
const ESCAPED_START = 0x81;
const ESCAPED_ESCAPE = 0x83;

const LENGTH_BYTES = 2;
const NUMBER_BYTES = 2;
const HEAD_BYTES = LENGTH_BYTES + NUMBER_BYTES;
const CHECK_BYTES = 2;
/** The largest value of the length field, which counts the bytes of number and data. */
const MAX_LENGTH = 0xffff;
export const MAX_NUMBERED_DATA_BYTES = MAX_LENGTH - NUMBER_BYTES;

/** Frame numbers restart at 0 after 65535. */
const NUMBERS = 0x1_0000;

export function numberAfter(number: number): number {
  return (number + 1) % NUMBERS;
}

/** Type I: asks for the number and answer of the device's last command. */
export const QUESTION: Readonly<Buffer> = stuffed(Buffer.alloc(LENGTH_BYTES));

/**
 * Returns a frame of type III with the data, or of type II without data. Throws RangeError when the data does not fit into a frame, which
 * is the caller's bug.
 */
export function numberedFrame(number: number, data: Uint8Array): Buffer {
  return stuffed(bodyOf(number, data));
}

/** Returns the frame with one flipped bit in its data or its check, so that a receiver drops it. `bit` counts from 0. */
export function damagedFrame(number: number, data: Uint8Array, bit: number): Buffer {
  const body = bodyOf(number, data);
  const check = checkOf(body);
  const at = HEAD_BYTES + (bit >> 3);
  if (at >= body.length) return stuffed(body, check ^ (1 << (bit & 7)));
  body[at] = (body[at] ?? 0) ^ (1 << (bit & 7));
  return stuffed(body, check);
}

function bodyOf(number: number, data: Uint8Array): Buffer {
  if (data.length > MAX_NUMBERED_DATA_BYTES)
    throw new RangeError(`a frame holds up to ${MAX_NUMBERED_DATA_BYTES} bytes, not ${data.length}`);
  const body = Buffer.allocUnsafe(HEAD_BYTES + data.length);
  body.writeUInt16LE(NUMBER_BYTES + data.length, 0);
  body.writeUInt16LE(number, LENGTH_BYTES);
  body.set(data, HEAD_BYTES);
  return body;
}

function stuffed(body: Uint8Array, check = checkOf(body)): Buffer {
  const bytes = [FRAME_START];
  for (const byte of [...body, check & 0xff, check >> 8]) {
    if (byte === FRAME_START) bytes.push(ESCAPE, ESCAPED_START);
    else if (byte === ESCAPE) bytes.push(ESCAPE, ESCAPED_ESCAPE);
    else bytes.push(byte);
  }
  return Buffer.from(bytes);
}

/** Returns the CRC-16/CCITT with start FFFF of the unescaped bytes. The frame has the low byte first. */
export function checkOf(bytes: Uint8Array): number {
  let check = 0xffff;
  for (const byte of bytes) {
    check = ((check << 8) | (check >> 8)) & 0xffff;
    check ^= byte;
    check ^= (check & 0xff) >> 4;
    check ^= (check << 12) & 0xffff;
    check ^= (check & 0xff) << 5;
  }
  return check;
}

export type NumberedToken =
  /** A frame of type I. */
  | { kind: "question" }
  /** A frame of type II (without data) or III. */
  | { kind: "message"; number: number; data: Buffer }
  /** A frame with a wrong check or a wrong form, or an incomplete frame. */
  | { kind: "damaged" }
  /** A byte outside any frame. */
  | { kind: "noise"; byte: number };

/** The initial buffer size. Frames of devices have hundreds of bytes. */
const FIRST_ROOM = 512;

/**
 * Splits a stream of bytes into tokens. An 8F inside a frame ends that frame as damaged and begins the next. Keeps at most one unfinished
 * frame, no longer than the longest frame.
 */
export class NumberedParser {
  #state: "outside" | "inside" | "escaped" = "outside";
  #body = Buffer.allocUnsafe(FIRST_ROOM);
  #filled = 0;
  /** Length of the whole frame, once known. */
  #whole: number | undefined;

  get insideFrame(): boolean {
    return this.#state !== "outside";
  }

  /** The received data of the newest frame. */
  get data(): Uint8Array {
    return this.#body.subarray(HEAD_BYTES, Math.max(HEAD_BYTES, Math.min(this.#filled, this.#dataEnd)));
  }

  /** Whether the next byte belongs to the data. An 8F never does. */
  get isDataNext(): boolean {
    return this.insideFrame && this.#filled >= HEAD_BYTES && this.#filled < this.#dataEnd;
  }

  push(bytes: Uint8Array): NumberedToken[] {
    return tokensFrom(bytes, (byte) => this.#take(byte));
  }

  abandon(): void {
    this.#state = "outside";
  }

  #take(byte: number): NumberedToken | undefined {
    if (byte === FRAME_START) return this.#begin();
    switch (this.#state) {
      case "outside":
        return { kind: "noise", byte };
      case "inside":
        if (byte !== ESCAPE) return this.#put(byte);
        this.#state = "escaped";
        return undefined;
      case "escaped":
        this.#state = "inside";
        if (byte === ESCAPED_START) return this.#put(FRAME_START);
        return byte === ESCAPED_ESCAPE ? this.#put(ESCAPE) : this.#drop();
    }
  }

  get #dataEnd(): number {
    return this.#whole === undefined ? 0 : this.#whole - CHECK_BYTES;
  }

  #begin(): NumberedToken | undefined {
    const broken = this.insideFrame;
    this.#state = "inside";
    this.#filled = 0;
    this.#whole = undefined;
    return broken ? { kind: "damaged" } : undefined;
  }

  #put(byte: number): NumberedToken | undefined {
    if (this.#filled === this.#body.length) this.#body = Buffer.concat([this.#body], this.#body.length * 2);
    this.#body[this.#filled] = byte;
    this.#filled += 1;
    if (this.#filled === LENGTH_BYTES) {
      const length = this.#body.readUInt16LE(0);
      // A length of 1 is impossible, because the number has two bytes.
      if (length === 1) return this.#drop();
      this.#whole = LENGTH_BYTES + length + CHECK_BYTES;
    }
    return this.#filled === this.#whole ? this.#finish(this.#filled) : undefined;
  }

  #drop(): NumberedToken {
    this.#state = "outside";
    return { kind: "damaged" };
  }

  #finish(filled: number): NumberedToken {
    this.#state = "outside";
    const end = filled - CHECK_BYTES;
    const body = this.#body.subarray(0, end);
    if (checkOf(body) !== this.#body.readUInt16LE(end)) return { kind: "damaged" };
    if (end === LENGTH_BYTES) return { kind: "question" };
    const data = Buffer.from(body.subarray(HEAD_BYTES));
    return { kind: "message", number: body.readUInt16LE(LENGTH_BYTES), data };
  }
}
