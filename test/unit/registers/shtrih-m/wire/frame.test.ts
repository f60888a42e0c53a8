import { describe, expect, it } from "vitest";
import { FrameParser, frameOf, lrcOf, type Token } from "../../../../../src/registers/shtrih-m/wire/frame.ts";
import { readFrames } from "../../../../support/shtrih-m-vectors.ts";

const STATUS = Buffer.from("0205101E0000000B", "hex");
const ANSWER = Buffer.from("021010001E90020400009FD8000000000400CB", "hex");
const NOISE = (byte: number): Token => ({ kind: "noise", byte });

describe("a frame of protocol 1.0", () => {
  it("is what the document shows for every vector of shtrih-protocol 14", () => {
    const frames = readFrames();
    expect(frames.length).toBeGreaterThan(100);
    for (const frame of frames) expect(frameOf(frame.subarray(2, -1))).toEqual(frame);
  });

  it("has a check byte over its length and data, without the marker", () => {
    expect(lrcOf(Buffer.from("101E000000", "hex"))).toBe(0x0b);
  });

  it("holds 1 to 255 bytes", () => {
    expect(frameOf(Buffer.alloc(255)).length).toBe(258);
    expect(() => frameOf(Buffer.alloc(0))).toThrow(RangeError);
    expect(() => frameOf(Buffer.alloc(256))).toThrow(RangeError);
  });
});

describe("the parser of frames", () => {
  it("reads a whole frame", () => {
    expect(new FrameParser().push(STATUS)).toEqual([frame(STATUS)]);
  });

  it("reads an acknowledgement and the answer behind it in one piece", () => {
    expect(new FrameParser().push(Buffer.concat([Uint8Array.of(6), ANSWER]))).toEqual([{ kind: "ack" }, frame(ANSWER)]);
  });

  it("reads two frames in one piece", () => {
    expect(new FrameParser().push(Buffer.concat([STATUS, ANSWER]))).toEqual([frame(STATUS), frame(ANSWER)]);
  });

  it("reads a frame in two pieces, the check byte alone included", () => {
    const parser = new FrameParser();
    expect(parser.push(ANSWER.subarray(0, -1))).toEqual([]);
    expect(parser.insideFrame).toBe(true);
    expect(parser.push(ANSWER.subarray(-1))).toEqual([frame(ANSWER)]);
    expect(parser.insideFrame).toBe(false);
  });

  it("gives garbage before a frame out as noise", () => {
    expect(new FrameParser().push(Buffer.concat([Uint8Array.of(0xff, 0x41), STATUS]))).toEqual([NOISE(0xff), NOISE(0x41), frame(STATUS)]);
  });

  it("names the single bytes that speak", () => {
    expect(new FrameParser().push(Uint8Array.of(5, 6, 0x15))).toEqual([{ kind: "enq" }, { kind: "ack" }, { kind: "nak" }]);
  });

  it("tells a wrong check byte and goes on with the next frame", () => {
    const wrong = Buffer.from(STATUS);
    wrong[7] = 0x0c;
    expect(new FrameParser().push(Buffer.concat([wrong, ANSWER]))).toEqual([{ kind: "damaged" }, frame(ANSWER)]);
  });

  it("tells a length of zero and goes on", () => {
    expect(new FrameParser().push(Buffer.concat([Uint8Array.of(2, 0), STATUS]))).toEqual([{ kind: "damaged" }, frame(STATUS)]);
  });

  it("reads the longest frame", () => {
    const longest = frameOf(Buffer.alloc(255, 2));
    expect(new FrameParser().push(longest)).toEqual([frame(longest)]);
  });

  it("takes a 02 inside a frame for data", () => {
    const cashOut = frameOf(Uint8Array.of(0x02, 0x02, 0x05, 0x02));
    for (const byte of [6, 0x15, 5]) expect(new FrameParser().push(frameOf(Uint8Array.of(byte, 2, byte)))).toHaveLength(1);
    expect(new FrameParser().push(cashOut)).toEqual([frame(cashOut)]);
  });

  it("forgets a frame that stopped half-way, and reads the next", () => {
    const parser = new FrameParser();
    parser.push(ANSWER.subarray(0, 9));
    parser.abandon();
    expect(parser.insideFrame).toBe(false);
    expect(parser.push(STATUS)).toEqual([frame(STATUS)]);
  });

  it("keeps no hold of the pieces it was given", () => {
    const piece = Buffer.from(STATUS);
    const [token] = new FrameParser().push(piece);
    piece.fill(0);
    expect(token).toEqual(frame(STATUS));
  });

  it("reads every vector alike at every split", () => {
    for (const vector of readFrames()) {
      for (let at = 0; at <= vector.length; at += 1) {
        const parser = new FrameParser();
        expect([...parser.push(vector.subarray(0, at)), ...parser.push(vector.subarray(at))]).toEqual([frame(vector)]);
      }
      const parser = new FrameParser();
      const tokens = Array.from(vector, (byte) => parser.push(Uint8Array.of(byte))).flat();
      expect(tokens).toEqual([frame(vector)]);
    }
  });

  it("makes of 100,000 broken inputs, in whatever pieces, what the whole stream says, and holds less than a frame", () => {
    const parser = new FrameParser();
    const frames = readFrames();
    const next = seeded(20_260_314);
    let rest: Buffer = Buffer.alloc(0);
    let most = 0;
    for (let round = 0; round < 100_000; round += 1) {
      const input = broken(frames[next(frames.length)] ?? STATUS, next);
      const at = next(input.length + 1);
      const tokens = [...parser.push(input.subarray(0, at)), ...parser.push(input.subarray(at))];
      const read = wholeRead(Buffer.concat([rest, input]));
      rest = read.rest;
      if (describeTokens(tokens) !== describeTokens(read.tokens)) throw new Error(`round ${round}: ${input.toString("hex")}`);
      // The parser keeps exactly the bytes that no token has reported yet.
      if (parser.heldBytes !== rest.length) throw new Error(`round ${round}: ${parser.heldBytes} bytes held instead of ${rest.length}`);
      most = Math.max(most, parser.heldBytes);
    }
    expect(most).toBeGreaterThan(200);
    expect(most).toBeLessThan(2 + 255 + 1);
  });

  it("reads a good frame after each of 100,000 broken inputs that were given up", () => {
    const parser = new FrameParser();
    const frames = readFrames();
    const next = seeded(20_260_315);
    const good = describeTokens([frame(STATUS)]);
    for (let round = 0; round < 100_000; round += 1) {
      parser.push(broken(frames[next(frames.length)] ?? STATUS, next));
      parser.abandon();
      if (parser.heldBytes !== 0 || describeTokens(parser.push(STATUS)) !== good) throw new Error(`round ${round} broke the parser`);
    }
  });
});

const CONTROL: Record<number, "enq" | "ack" | "nak"> = { 5: "enq", 6: "ack", 21: "nak" };

/** A second parser by shtrih-protocol 1.2, for a whole stream. Returns its tokens and the unfinished frame. */
function wholeRead(bytes: Buffer): { tokens: Token[]; rest: Buffer } {
  const tokens: Token[] = [];
  let at = 0;
  while (at < bytes.length) {
    const [first = 0, length = 0] = bytes.subarray(at, at + 2);
    const end = at + (first === 2 ? length + 3 : 1);
    if (first === 2 && bytes.length === at + 1) break;
    const control = CONTROL[first];
    if (control !== undefined) tokens.push({ kind: control });
    else if (first !== 2) tokens.push({ kind: "noise", byte: first });
    else if (length === 0) {
      tokens.push({ kind: "damaged" });
      at += 2;
      continue;
    } else if (end > bytes.length) break;
    else {
      const checked = bytes.subarray(at + 1, end).reduce((sum, byte) => sum ^ byte, 0);
      tokens.push(checked === 0 ? { kind: "frame", data: bytes.subarray(at + 2, end - 1) } : { kind: "damaged" });
    }
    at = end;
  }
  return { tokens, rest: bytes.subarray(at) };
}

function describeTokens(tokens: readonly Token[]): string {
  return tokens
    .map((token) => (token.kind === "frame" ? token.data.toString("hex") : token.kind === "noise" ? `n${token.byte}` : token.kind))
    .join();
}

function frame(bytes: Buffer): { kind: "frame"; data: Buffer } {
  return { kind: "frame", data: bytes.subarray(2, -1) };
}

/** Damages the bytes: changes bits, loses, adds or doubles bytes, cuts the end off, or returns only noise. */
function broken(vector: Buffer, next: (limit: number) => number): Buffer {
  const bytes = Buffer.from(vector);
  const at = next(bytes.length);
  switch (next(6)) {
    case 0:
      bytes[at] = (bytes[at] ?? 0) ^ (1 << next(8));
      return bytes;
    case 1:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), Uint8Array.of(next(256)), bytes.subarray(at)]);
    case 3:
      return bytes.subarray(0, at);
    case 4:
      return Buffer.concat([bytes.subarray(at), bytes]);
    default:
      return Buffer.from(Array.from({ length: 1 + next(300) }, () => next(256)));
  }
}

/** Returns a generator of random numbers (Mulberry32). The same seed gives the same numbers. */
function seeded(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}
