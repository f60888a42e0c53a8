import { describe, expect, it } from "vitest";
import { deadlineIn } from "../../../../../src/kernel/deadline.ts";
import type { Link } from "../../../../../src/registers/links/link.ts";
import { encodeAnswer, encodeError } from "../../../../../src/registers/shtrih-m/commands/commands.ts";
import { call } from "../../../../../src/registers/shtrih-m/session/caller.ts";
import type { ExchangeRequest } from "../../../../../src/registers/shtrih-m/wire/exchange.ts";
import { ACK, FrameParser, frameOf, NAK, type Token } from "../../../../../src/registers/shtrih-m/wire/frame.ts";
import { ENQUIRED } from "../../../../../src/registers/shtrih-m/wire/low-levels.ts";
import { type Discarded, Runner } from "../../../../../src/registers/shtrih-m/wire/runner.ts";
import { MemoryPort } from "../../../../support/memory-link.ts";
import { VirtualClock } from "../../../../support/virtual-clock.ts";

const CASH_IN = { password: 1, sum: 100_000 };
const ANSWER = encodeAnswer("cashIn", { operator: 1, document: 77 });
const ERROR = encodeError("cashIn", 0x4a);
const REQUEST: ExchangeRequest = { data: Buffer.from("5001000000A086010000", "hex"), code: [0x50], allowedMs: 30_000, repeat: "never" };

describe("a command over a link", () => {
  it("is carried and answered, and its fields come back", async () => {
    const { till, heard } = bench(usual);
    expect(await till.cashIn()).toEqual({ kind: "ok", values: { operator: 1, document: 77 }, tail: Buffer.alloc(0), stale: [] });
    expect(heard).toEqual(["enq", "frame", "ack"]);
  });

  it("comes back refused with the device's number", async () => {
    const { till } = bench((token) => (token.kind === "frame" ? [ack(), frameOf(ERROR)] : usual(token)));
    expect(await till.cashIn()).toEqual({ kind: "error", error: 0x4a, stale: [] });
  });

  it("comes back refused with the extended number beside it", async () => {
    const long = encodeError("cashIn", 0x5e, "full", Buffer.of(2, 0, 0x5e, 0));
    const { till } = bench((token) => (token.kind === "frame" ? [ack(), frameOf(long)] : usual(token)));
    expect(await till.cashIn()).toMatchObject({ kind: "error", error: 0x5e, extended: 0x005e0002 });
  });

  it("is unknown when the answer lacks a field", async () => {
    const { till } = bench((token) => (token.kind === "frame" ? [ack(), frameOf(Buffer.of(0x50, 0))] : usual(token)));
    expect(await till.cashIn()).toMatchObject({ kind: "unknown", reason: expect.stringContaining("5000") });
  });

  it("takes an answer in one piece with the acknowledgement, or byte by byte (cases 7 and 8)", async () => {
    const glued = Buffer.concat([ack(), frameOf(ANSWER)]);
    const together = bench((token) => (token.kind === "frame" ? [glued] : usual(token)));
    expect(await together.till.cashIn()).toMatchObject({ kind: "ok" });
    const apart = bench((token) => (token.kind === "frame" ? Array.from(glued, (byte) => Uint8Array.of(byte)) : usual(token)));
    expect(await apart.till.cashIn()).toMatchObject({ kind: "ok" });
  });

  it("is not disturbed by the FF that follows an acknowledgement", async () => {
    const { till, heard } = bench((token) => (token.kind === "ack" ? [Uint8Array.of(0xff)] : usual(token)));
    await till.cashIn();
    expect(await till.cashIn()).toMatchObject({ kind: "ok" });
    expect(heard).toEqual(["enq", "frame", "ack", "enq", "frame", "ack"]);
  });

  it("is not taken for answered by bytes that came before it", async () => {
    const { till, port, heard } = bench(usual);
    await till.cashIn();
    await port.send(Buffer.concat([Uint8Array.of(NAK, NAK, ACK), frameOf(ANSWER)]));
    expect(await till.cashIn()).toMatchObject({ kind: "ok" });
    expect(heard.filter((what) => what === "frame")).toHaveLength(2);
  });
});

describe("the runner's time", () => {
  it("waits 3 seconds for each of five greetings", async () => {
    const { till, clock, heard } = bench(() => []);
    const before = clock.monotonicMs();
    const called = await till.cashIn();
    expect(called).toMatchObject({ kind: "undelivered", bytesLeft: false });
    expect(heard).toEqual(Array(5).fill("enq"));
    expect(called.atMs - before).toBe(15_000);
  });

  it("waits for a busy device as long as the caller is patient", async () => {
    const { till, heard } = bench(() => []);
    await till.exchange({ ...REQUEST, reactionMs: 60_000 });
    expect(heard).toHaveLength(20);
  });

  it("gives a frame up whose bytes stop for a second, and asks for the answer again", async () => {
    let times = 0;
    const { till, heard } = bench((token) => {
      if (token.kind === "frame") return [ack(), frameOf(ANSWER).subarray(0, 4)];
      if (token.kind === "enq" && heard.includes("frame")) return times++ === 0 ? [ack(), frameOf(ANSWER)] : [];
      return usual(token);
    });
    const called = await till.cashIn();
    expect(called).toMatchObject({ kind: "ok" });
    expect(called.atMs).toBe(1_000);
    expect(heard).toEqual(["enq", "frame", "nak", "enq", "ack"]);
  });

  it("ends with the caller's deadline, and says that a sent command is unknown", async () => {
    const { till } = bench((token) => (token.kind === "frame" ? [ack()] : usual(token)));
    const called = await till.exchange(REQUEST, 5_000);
    expect(called).toMatchObject({ kind: "unknown", atMs: 5_000 });
  });

  it("begins to wait when the bytes have left a slow line", async () => {
    const { till } = bench((token) => (token.kind === "frame" ? [] : usual(token)), { baud: 300 });
    const called = await till.exchange(REQUEST, 200_000);
    // 17 bytes of 10 bits at 300 baud (ENQ, NAK, 13 of the frame, ENQ, NAK), and 3 s after the last byte of the frame.
    expect(called).toMatchObject({ kind: "unknown", atMs: expect.closeTo(17 * (10_000 / 300) + 3_000, 1) });
  });
});

describe("a link that breaks", () => {
  it("between two commands is opened again without anybody noticing", async () => {
    const { till, port } = bench(usual);
    await till.cashIn();
    port.near.cut("тишина слишком долгая");
    expect(await till.cashIn()).toMatchObject({ kind: "ok" });
  });

  it("behind a registering command is opened again and the answer fetched, and the command not sent twice", async () => {
    let executed = 0;
    let pending: Buffer | undefined;
    const { till, port, heard } = bench((token) => {
      if (token.kind === "frame") {
        executed += 1;
        pending = frameOf(ANSWER);
        port.near.cut("кабель");
        return [];
      }
      if (token.kind === "enq") return pending === undefined ? [Uint8Array.of(NAK)] : [ack(), pending];
      return [];
    });
    expect(await till.cashIn()).toMatchObject({ kind: "ok", values: { document: 77 } });
    expect(executed).toBe(1);
    expect(heard).toEqual(["enq", "frame", "enq", "ack"]);
  });

  it("and does not come back leaves a command that was not sent undelivered within seconds", async () => {
    const { till, port } = bench(usual);
    port.memory.refuse("касса выключена");
    const called = await till.cashIn();
    expect(called).toMatchObject({ kind: "undelivered", reason: "касса выключена", bytesLeft: false });
    expect(called.atMs).toBeLessThanOrEqual(3_000);
  });

  it("is waited for longer when a command may be there", async () => {
    const { till, port, clock } = bench((token) => {
      if (token.kind !== "frame") return usual(token);
      port.memory.refuse("кабель");
      port.near.cut("кабель");
      clock.after(20_000, () => port.memory.refuse(undefined));
      return [];
    });
    const called = await till.cashIn();
    expect(called).toMatchObject({ kind: "unknown" });
    expect(called.atMs).toBeGreaterThanOrEqual(20_000);
  });

  it("ends the exchange when its owner closes it", async () => {
    const { till, runner, clock } = bench((token) => (token.kind === "frame" ? [ack()] : usual(token)));
    clock.after(1_000, () => void runner.close());
    expect(await till.exchange(REQUEST)).toMatchObject({ kind: "unknown", atMs: 1_000 });
  });
});

describe("a sale's command cut at every byte", () => {
  it("is never executed twice, and answered with certainty only when that is certain", async () => {
    // The host sends ENQ, a frame of 13 bytes and ACK; the device NAK, ACK and a frame of 8.
    const wire = 1 + 13 + 1 + 1 + 1 + 8;
    for (let at = 0; at <= wire; at += 1) {
      let executed = 0;
      let pending: Buffer | undefined;
      let passed = 0;
      const device = bench(
        (token) => {
          if (token.kind === "frame") {
            executed += 1;
            pending = frameOf(ANSWER);
            return [ack(), pending];
          }
          if (token.kind === "ack") pending = undefined;
          if (token.kind === "enq") return pending === undefined ? [Uint8Array.of(NAK)] : [ack(), pending];
          return [];
        },
        {
          pass: () => {
            passed += 1;
            return passed - 1 !== at;
          },
        },
      );
      const called = await device.till.cashIn();
      expect([at, executed]).toEqual([at, called.kind === "undelivered" ? 0 : executed]);
      expect(executed).toBeLessThanOrEqual(1);
      if (called.kind === "ok") expect(executed).toBe(1);
      expect(called.kind).not.toBe("undelivered");
    }
  });
});

describe("exchanges with one device", () => {
  it("never overlap: the second is our own mistake", async () => {
    const { runner, clock } = bench(() => []);
    const first = runner.exchange(REQUEST, deadlineIn(clock, 100));
    await expect(runner.exchange(REQUEST, deadlineIn(clock, 100))).rejects.toMatchObject({ code: "exchange-overlap" });
    await clock.advance(1_000);
    expect(await first).toMatchObject({ kind: "undelivered" });
  });

  it("tell what they threw away", async () => {
    const old = encodeAnswer("writeTable", {});
    let first = true;
    const { till, discarded } = bench((token) => {
      if (token.kind === "enq" && first) {
        first = false;
        return [Buffer.concat([ack(), frameOf(old)])];
      }
      return token.kind === "frame" ? [Uint8Array.of(ACK, 0x41), frameOf(ANSWER)] : usual(token);
    });
    expect(await till.cashIn()).toMatchObject({ kind: "ok", stale: [old] });
    expect(discarded).toEqual([{ kind: "noise" }, { kind: "stale", data: old }]);
  });
});

type Device = (token: Token) => Uint8Array[];

/** The behaviour of an idle device: it answers ENQ with NAK, takes the command and answers it. */
function usual(token: Token): Uint8Array[] {
  if (token.kind === "enq") return [Uint8Array.of(NAK)];
  return token.kind === "frame" ? [ack(), frameOf(ANSWER)] : [];
}

function ack(): Uint8Array {
  return Uint8Array.of(ACK);
}

/** A runner and a device that the test plays, in memory. The test's clock moves on until the exchange ends. */
function bench(device: Device, options: { baud?: number; pass?: () => boolean } = {}) {
  const clock = new VirtualClock(0);
  const heard: string[] = [];
  const discarded: Discarded[] = [];
  let far: Link | undefined;
  const memory = new MemoryPort({ clock, ...(options.baud === undefined ? {} : { baud: options.baud }) }, (end) => {
    far = end;
    void serve(end);
  });
  const near = memory.link();
  const port = { memory, near, send: (bytes: Uint8Array) => far?.write(bytes, deadlineIn(clock, 0)) };
  const passes = (bytes: Uint8Array): Uint8Array[] => Array.from(bytes, (byte) => Uint8Array.of(byte));
  const serve = async (end: Link) => {
    const parser = new FrameParser();
    for (;;) {
      const received = await end.read(deadlineIn(clock, 10_000_000));
      if (received.kind !== "bytes") return;
      for (const piece of options.pass === undefined ? [received.bytes] : passes(received.bytes)) {
        if (options.pass !== undefined && !options.pass()) return near.cut("кабель");
        for (const token of parser.push(piece)) {
          heard.push(token.kind);
          for (const bytes of device(token)) {
            for (const part of options.pass === undefined ? [bytes] : passes(bytes)) {
              if (options.pass !== undefined && !options.pass()) return near.cut("кабель");
              await end.write(part, deadlineIn(clock, 1_000));
            }
          }
        }
      }
    }
  };
  const runner = new Runner(ENQUIRED, { link: near, clock, discarded: (what) => discarded.push(what) });
  const run = async <T extends object>(work: Promise<T>): Promise<T & { atMs: number }> => {
    const ended = work.then((value) => ({ value, atMs: clock.monotonicMs() }));
    await clock.advance(400_000);
    const { value, atMs } = await ended;
    return Object.defineProperty({ ...value, atMs }, "atMs", { enumerable: false });
  };
  const deadline = (ms = 300_000) => deadlineIn(clock, ms);
  const till = {
    cashIn: () => run(call(runner, "cashIn", CASH_IN, { deadline: deadline() })),
    exchange: (request: ExchangeRequest, ms?: number) => run(runner.exchange(request, deadline(ms))),
  };
  return { clock, heard, discarded, port, runner, till };
}
