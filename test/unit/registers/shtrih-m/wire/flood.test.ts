import { describe, expect, it } from "vitest";
import { deadlineIn } from "../../../../../src/kernel/deadline.ts";
import type { Link } from "../../../../../src/registers/links/link.ts";
import type { ExchangeRequest, Exchanger } from "../../../../../src/registers/shtrih-m/wire/exchange.ts";
import { ACK, ENQ, frameOf, NAK, STX } from "../../../../../src/registers/shtrih-m/wire/frame.ts";
import { damagedFrame, FRAME_START, numberedFrame, QUESTION } from "../../../../../src/registers/shtrih-m/wire/frame-numbered.ts";
import { ENQUIRED, NUMBERED } from "../../../../../src/registers/shtrih-m/wire/low-levels.ts";
import { Runner, type RunnerOptions } from "../../../../../src/registers/shtrih-m/wire/runner.ts";
import { SeededRandom } from "../../../../../src/tools/seeded-random.ts";
import { timesSlower } from "../../../../support/hostile/yardstick.ts";
import { VirtualClock } from "../../../../support/virtual-clock.ts";

const MIB = 1024 * 1024;
const PIECE_BYTES = 1_024;
const MAX_READ_BYTES = MIB + 70 * PIECE_BYTES;
const MAX_CPU_MS = 150;

const ANSWER = Buffer.from("500001", "hex");
const OTHER = Buffer.from("1E00", "hex");
const LONG = Buffer.alloc(60_000, 0x11);
const RANDOM = new SeededRandom(5);

/** Bytes that a device may send without end. The command's number in protocol 2.0 is 5. */
const STREAMS: Record<string, Uint8Array> = {
  "06": Buffer.of(ACK),
  "15": Buffer.of(NAK),
  "05": Buffer.of(ENQ),
  "00": Buffer.of(0),
  FF: Buffer.of(0xff),
  "02": Buffer.of(STX),
  "8F": Buffer.of(FRAME_START),
  "9F": Buffer.of(0x9f),
  "ACK and NAK in turn": Buffer.of(ACK, NAK),
  "frames without data": Buffer.of(STX, 0),
  "frames of another command": frameOf(OTHER),
  "the longest frames of another command": frameOf(Buffer.alloc(255, 0x1e)),
  "frames with a wrong check byte": Buffer.of(STX, 1, 0x10, 0),
  "ACK and frames of another command": Buffer.concat([Buffer.of(ACK), frameOf(OTHER)]),
  "numbered questions": QUESTION,
  "numbered frames of the command before": numberedFrame(4, OTHER),
  "long numbered frames of the command before": numberedFrame(4, LONG),
  "numbered frames of another command": numberedFrame(5, OTHER),
  "numbered frames of another number": numberedFrame(900, OTHER),
  "numbered frames without data": numberedFrame(4, Buffer.alloc(0)),
  "damaged numbered frames": damagedFrame(5, ANSWER, 3),
  "long damaged numbered frames": damagedFrame(5, LONG, 3),
  "numbered frames that end too early": Buffer.of(FRAME_START, 0xff, 0xff, 0),
  // The same bytes each time: among others there may be an answer by chance.
  "random bytes": Buffer.from(Array.from({ length: 64 * 1024 }, () => RANDOM.below(256))),
};

interface Protocol {
  runner(options: RunnerOptions): Exchanger;
  /** The bytes that bring the exchange into each state before the stream begins. */
  states: Record<string, Uint8Array>;
}

const PROTOCOLS: Record<string, Protocol> = {
  "1.0": {
    runner: (options) => new Runner(ENQUIRED, options),
    states: {
      "at the greeting": Buffer.alloc(0),
      "before an older answer": Buffer.of(ACK),
      "while the line settles": Buffer.of(ENQ),
      "behind the command": Buffer.of(NAK),
      "behind a refusal of the frame": Buffer.of(NAK, NAK),
      "while the device works": Buffer.of(NAK, ACK),
      "while the answer is asked for": Buffer.concat([Buffer.of(NAK, ACK), Buffer.of(STX, 0)]),
    },
  },
  "2.0": {
    runner: (options) => new Runner(NUMBERED, options),
    states: {
      "at the question": Buffer.alloc(0),
      "behind the harmless command": numberedFrame(0, Buffer.alloc(0)),
      "behind the command": numberedFrame(4, OTHER),
    },
  },
};

const TABLE = Object.entries(PROTOCOLS).flatMap(([protocol, { states }]) =>
  Object.keys(states).flatMap((state) => Object.keys(STREAMS).map((stream) => [protocol, state, stream] as const)),
);

describe("a device that never stops sending", () => {
  it.each(TABLE)("ends the exchange of protocol %s %s with %s", async (protocol, state, stream) => {
    const { runner: runnerOf, states } = PROTOCOLS[protocol] ?? expect.unreachable();
    for (const repeat of ["safe", "never"] as const) {
      const clock = new VirtualClock(0);
      const link = new PouringLink(states[state] ?? expect.unreachable(), STREAMS[stream] ?? expect.unreachable());
      const runner = runnerOf({ link, clock });
      const before = process.threadCpuUsage();
      const exchanged = await runner.exchange(requestOf(repeat), deadlineIn(clock, 60_000));
      const { user, system } = process.threadCpuUsage(before);
      expect(["undelivered", "unknown"]).toContain(exchanged.kind);
      expect(link.readBytes).toBeLessThanOrEqual(MAX_READ_BYTES);
      const cpuMs = (user + system) / 1_000;
      if (cpuMs >= MAX_CPU_MS) expect(cpuMs).toBeLessThan(MAX_CPU_MS * timesSlower());
      const isNoisy = exchanged.kind !== "answered" && exchanged.reason === "в линии помехи";
      expect(link.isOpen).toBe(!isNoisy);
    }
  });

  it("is cut off before the next exchange, when it goes on meanwhile", async () => {
    const clock = new VirtualClock(0);
    const link = new PouringLink(Buffer.of(), Buffer.of(ACK));
    await link.open();
    const runner = new Runner(ENQUIRED, { link, clock });
    expect(await runner.exchange(requestOf("never"), deadlineIn(clock, 60_000))).toMatchObject({ kind: "undelivered" });
    expect(link.openings).toBe(2);
    expect(link.readBytes).toBeLessThan(100_000);
  });
});

function requestOf(repeat: "safe" | "never"): ExchangeRequest {
  return { data: Buffer.from("5001000000A086010000", "hex"), code: [0x50], allowedMs: 30_000, repeat };
}

/** A link to a device that sends without end. After each opening it sends the beginning, and then the stream again and again. */
class PouringLink implements Link {
  readonly name = "pouring";
  readonly #beginning: Uint8Array;
  readonly #stream: Uint8Array;
  #at = 0;
  isOpen = false;
  openings = 0;
  readBytes = 0;

  constructor(beginning: Uint8Array, stream: Uint8Array) {
    this.#beginning = beginning;
    const times = Math.ceil((2 * PIECE_BYTES) / stream.length);
    this.#stream = Buffer.concat(Array<Uint8Array>(times).fill(stream));
  }

  async open() {
    this.isOpen = true;
    this.openings += 1;
    this.#at = 0;
    return { kind: "open" } as const;
  }

  async write() {
    return { kind: "sent" } as const;
  }

  async drain() {
    return { kind: "sent" } as const;
  }

  async read() {
    const bytes = this.#at === 0 && this.#beginning.length > 0 ? Buffer.from(this.#beginning) : this.#piece();
    this.#at += bytes.length;
    this.readBytes += bytes.length;
    return { kind: "bytes", bytes } as const;
  }

  async close() {
    this.isOpen = false;
  }

  #piece(): Buffer {
    const from = Math.max(0, this.#at - this.#beginning.length) % this.#stream.length;
    return Buffer.from(this.#stream.subarray(from, from + PIECE_BYTES));
  }
}
