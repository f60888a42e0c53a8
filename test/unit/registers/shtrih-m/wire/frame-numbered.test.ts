import { describe, expect, it } from "vitest";
import {
  checkOf,
  damagedFrame,
  MAX_NUMBERED_DATA_BYTES,
  NumberedParser,
  type NumberedToken,
  numberAfter,
  numberedFrame,
  QUESTION,
} from "../../../../../src/registers/shtrih-m/wire/frame-numbered.ts";
import { SeededRandom } from "../../../../../src/tools/seeded-random.ts";
import { type NumberedVector, readNumberedFrames, readVectors } from "../../../../support/shtrih-m-vectors.ts";

const VECTORS = readNumberedFrames();
const STATUS = Buffer.from("8F07000100101E0000001FAC", "hex");
const STATUS_TOKEN: NumberedToken = { kind: "message", number: 1, data: Buffer.from("101E000000", "hex") };
/** The data contains 8F and 9F, which are stuffed. */
const CASH_IN = Buffer.from("8F0C00020050010000009F819F83000000B9E1", "hex");
const CASH_IN_TOKEN: NumberedToken = { kind: "message", number: 2, data: Buffer.from("50010000008F9F000000", "hex") };
const DAMAGED: NumberedToken = { kind: "damaged" };
const noise = (...bytes: number[]): NumberedToken[] => bytes.map((byte) => ({ kind: "noise", byte }));

function tokenOf({ carries }: NumberedVector): NumberedToken {
  return carries === undefined ? { kind: "question" } : { kind: "message", ...carries };
}

describe("a frame of protocol 2.0", () => {
  it("is what the document shows for every vector of shtrih-protocol 14", () => {
    expect(VECTORS).toHaveLength(21);
    for (const { frame, carries } of VECTORS) {
      expect(carries === undefined ? Buffer.from(QUESTION) : numberedFrame(carries.number, carries.data)).toEqual(frame);
    }
  });

  it("carries the same commands that the other vectors know", () => {
    const known = new Set(readVectors().map(({ data }) => data.toString("hex")));
    for (const { carries } of VECTORS)
      if (carries !== undefined && carries.data.length > 0) expect(known).toContain(carries.data.toString("hex"));
  });

  it("has the check value that is known for 123456789", () => {
    expect(checkOf(Buffer.from("123456789", "latin1"))).toBe(0x29b1);
  });

  it("has the number after 65535 begin anew with 0", () => {
    expect([numberAfter(1), numberAfter(0xfffe), numberAfter(0xffff)]).toEqual([2, 0xffff, 0]);
  });

  it("holds up to 65533 bytes of data, none included", () => {
    const longest = Buffer.alloc(MAX_NUMBERED_DATA_BYTES, 0x8f);
    expect(new NumberedParser().push(numberedFrame(0xffff, longest))).toEqual([{ kind: "message", number: 0xffff, data: longest }]);
    expect(new NumberedParser().push(numberedFrame(0, Buffer.alloc(0)))).toEqual([{ kind: "message", number: 0, data: Buffer.alloc(0) }]);
    expect(() => numberedFrame(1, Buffer.alloc(MAX_NUMBERED_DATA_BYTES + 1))).toThrow(RangeError);
  });

  it("that one bit has damaged is as long as the right one and is dropped, whichever bit it was", () => {
    const data = Buffer.from("50010000008F9F000000", "hex");
    for (let bit = 0; bit < (data.length + 2) * 8; bit += 1) {
      expect(new NumberedParser().push(Buffer.concat([damagedFrame(2, data, bit), STATUS]))).toEqual([DAMAGED, STATUS_TOKEN]);
    }
  });
});

describe("the parser of numbered frames", () => {
  it("reads a whole frame", () => {
    expect(new NumberedParser().push(STATUS)).toEqual([STATUS_TOKEN]);
  });

  it("reads two frames in one piece", () => {
    expect(new NumberedParser().push(Buffer.concat([STATUS, CASH_IN]))).toEqual([STATUS_TOKEN, CASH_IN_TOKEN]);
  });

  it("reads a frame in two pieces, the last check byte alone included", () => {
    const parser = new NumberedParser();
    expect(parser.push(STATUS.subarray(0, -1))).toEqual([]);
    expect(parser.insideFrame).toBe(true);
    expect(parser.push(STATUS.subarray(-1))).toEqual([STATUS_TOKEN]);
    expect(parser.insideFrame).toBe(false);
  });

  it("gives garbage before a frame out as noise", () => {
    expect(new NumberedParser().push(Buffer.concat([Buffer.of(0xff, 0x06, 0x9f, 0x02), STATUS]))).toEqual([
      ...noise(0xff, 0x06, 0x9f, 0x02),
      STATUS_TOKEN,
    ]);
  });

  it("tells a wrong check and goes on with the next frame", () => {
    const wrong = Buffer.from(STATUS);
    wrong[11] = 0xad;
    expect(new NumberedParser().push(Buffer.concat([wrong, CASH_IN]))).toEqual([DAMAGED, CASH_IN_TOKEN]);
  });

  it("begins a new frame at an 8F inside another, which is damaged", () => {
    expect(new NumberedParser().push(Buffer.concat([STATUS.subarray(0, 7), CASH_IN]))).toEqual([DAMAGED, CASH_IN_TOKEN]);
    expect(new NumberedParser().push(Buffer.concat([Buffer.of(0x8f, 0x8f), STATUS]))).toEqual([DAMAGED, DAMAGED, STATUS_TOKEN]);
    expect(new NumberedParser().push(Buffer.concat([CASH_IN.subarray(0, 11), STATUS]))).toEqual([DAMAGED, STATUS_TOKEN]);
  });

  it("drops a frame whose escape stands before anything but 81 and 83", () => {
    expect(new NumberedParser().push(Buffer.concat([Buffer.from("8F07009F8200", "hex"), STATUS]))).toEqual([
      DAMAGED,
      ...noise(0),
      STATUS_TOKEN,
    ]);
    expect(new NumberedParser().push(Buffer.concat([Buffer.from("8F07009F9F", "hex"), STATUS]))).toEqual([DAMAGED, STATUS_TOKEN]);
  });

  it("drops a length of one and waits for the end of every other", () => {
    expect(new NumberedParser().push(Buffer.concat([Buffer.from("8F0100", "hex"), STATUS]))).toEqual([DAMAGED, STATUS_TOKEN]);
    const parser = new NumberedParser();
    expect(parser.push(Buffer.concat([Buffer.from("8FFFFF", "hex"), Buffer.alloc(60_000)]))).toEqual([]);
    expect(parser.insideFrame).toBe(true);
    // The frame after a length that is too large begins with 8F and is read all the same.
    expect(parser.push(STATUS)).toEqual([DAMAGED, STATUS_TOKEN]);
  });

  it("forgets a frame that stopped half-way, also behind an escape, and reads the next", () => {
    for (const at of [1, 5, 10, 11, 13]) {
      const parser = new NumberedParser();
      parser.push(CASH_IN.subarray(0, at));
      parser.abandon();
      expect(parser.insideFrame).toBe(false);
      expect(parser.push(STATUS)).toEqual([STATUS_TOKEN]);
    }
  });

  it("keeps no hold of the pieces it was given, nor of what it gave", () => {
    const parser = new NumberedParser();
    const piece = Buffer.from(STATUS);
    const [token] = parser.push(piece);
    piece.fill(0);
    parser.push(CASH_IN);
    expect(token).toEqual(STATUS_TOKEN);
  });

  it("reads every vector alike at every split, stuffed bytes included", () => {
    for (const vector of VECTORS) {
      for (let at = 0; at <= vector.frame.length; at += 1) {
        const parser = new NumberedParser();
        expect([...parser.push(vector.frame.subarray(0, at)), ...parser.push(vector.frame.subarray(at))]).toEqual([tokenOf(vector)]);
      }
      const parser = new NumberedParser();
      expect(Array.from(vector.frame, (byte) => parser.push(Uint8Array.of(byte))).flat()).toEqual([tokenOf(vector)]);
    }
  });

  it("survives 100,000 broken inputs, and reads a good frame after each", () => {
    const parser = new NumberedParser();
    const random = new SeededRandom(20_260_314);
    for (let round = 0; round < 100_000; round += 1) {
      const input = broken(VECTORS[random.below(VECTORS.length)]?.frame ?? STATUS, random);
      const tokens = parser.push(input);
      // Every token takes at least one byte, so there are never more tokens than bytes. The check allows one more.
      if (tokens.length > input.length + 1) throw new Error(`round ${round}: ${tokens.length} tokens of ${input.length} bytes`);
      const after = parser.push(STATUS).at(-1);
      if (after?.kind !== "message" || after.number !== 1) throw new Error(`round ${round} broke the parser`);
    }
  });
});

/** Damages the bytes: changes bits, loses, adds or doubles bytes, cuts the end off, or returns noise with many 8F and 9F. */
function broken(vector: Buffer, random: SeededRandom): Buffer {
  const bytes = Buffer.from(vector);
  const at = random.below(bytes.length);
  switch (random.below(6)) {
    case 0:
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
      return bytes;
    case 1:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), Uint8Array.of(random.below(256)), bytes.subarray(at)]);
    case 3:
      return bytes.subarray(0, at);
    case 4:
      return Buffer.concat([bytes.subarray(at), bytes]);
    default:
      return Buffer.from(Array.from({ length: 1 + random.below(300) }, () => [0x8f, 0x9f, 0x81, random.below(256)][random.below(4)] ?? 0));
  }
}
