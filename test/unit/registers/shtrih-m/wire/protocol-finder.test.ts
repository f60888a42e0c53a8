import { describe, expect, it } from "vitest";
import { deadlineIn } from "../../../../../src/kernel/deadline.ts";
import type { Link } from "../../../../../src/registers/links/link.ts";
import type { ExchangeRequest } from "../../../../../src/registers/shtrih-m/wire/exchange.ts";
import { exchangerFor, type LowLevelName } from "../../../../../src/registers/shtrih-m/wire/protocol-finder.ts";
import { MemoryPort } from "../../../../support/memory-link.ts";
import { bytesOf, framed, hexOf } from "../../../../support/shtrih-m-device.ts";
import { numbered, QUESTION } from "../../../../support/shtrih-m-numbered.ts";
import { VirtualClock } from "../../../../support/virtual-clock.ts";

const STATUS: ExchangeRequest = { data: Buffer.from("101E000000", "hex"), code: [0x10], allowedMs: 5_000, repeat: "safe" };
const CASH_IN: ExchangeRequest = { data: Buffer.from("50010000006400000000", "hex"), code: [0x50], allowedMs: 5_000, repeat: "never" };
const ENQ = "05";
const STATUS_FRAME = framed("10 1E000000");

describe("a device whose protocol is to be found", () => {
  it("is asked in 2.0 first, and spoken to in it when it answers", async () => {
    const { exchange, exchanger, heard, clock } = bench("2.0");
    expect(await exchange(STATUS)).toMatchObject({ kind: "answered" });
    expect(heard).toEqual([QUESTION, numbered(1, "10 1E000000")]);
    expect([exchanger.protocol, clock.monotonicMs()]).toEqual(["2.0", 0]);
  });

  it("is greeted by ENQ when a second has brought no answer, and spoken to in 1.0 when it reacts", async () => {
    const { exchange, exchanger, heard } = bench("1.0");
    const answered = await exchange(STATUS);
    expect(answered).toMatchObject({ kind: "answered", atMs: 1_000 });
    expect(heard).toEqual([QUESTION, ENQ, STATUS_FRAME, "06"]);
    expect(exchanger.protocol).toBe("1.0");
  });

  it.each(["1.0", "2.0"] as const)("of %s is not asked again, behind a new opening of the link either", async (spoken) => {
    const { exchange, heard, near } = bench(spoken);
    await exchange(STATUS);
    heard.length = 0;
    near.cut("тишина слишком долгая");
    expect(await exchange(STATUS)).toMatchObject({ kind: "answered" });
    const expected = spoken === "1.0" ? [ENQ, STATUS_FRAME, "06"] : [QUESTION, numbered(2, "10 1E000000")];
    expect(heard).toEqual(expected);
  });

  it("that has changed its protocol is found again once it has not answered", async () => {
    const device = bench("2.0");
    await device.exchange(STATUS);
    device.speak("1.0");
    device.near.cut("питание");
    expect(await device.exchange(CASH_IN)).toMatchObject({ kind: "undelivered", bytesLeft: false });
    device.heard.length = 0;
    expect(await device.exchange(CASH_IN)).toMatchObject({ kind: "answered" });
    expect(device.heard.slice(0, 2)).toEqual([QUESTION, ENQ]);
    device.speak("2.0");
    expect(await device.exchange(STATUS)).toMatchObject({ kind: "undelivered" });
    expect(await device.exchange(STATUS)).toMatchObject({ kind: "answered" });
    expect(device.exchanger.protocol).toBe("2.0");
  });

  it("is not forgotten for a cable that is out", async () => {
    const { exchange, exchanger, near, port } = bench("1.0");
    await exchange(STATUS);
    near.cut("кабель");
    port.refuse("кабель вынут");
    expect(await exchange(STATUS)).toMatchObject({ kind: "undelivered", reason: "кабель вынут" });
    expect(exchanger.protocol).toBe("1.0");
  });

  it("is not asked for longer than the caller waits, nor where the link does not open", async () => {
    const silent = bench(undefined);
    expect(await silent.exchange(STATUS, 1_500)).toMatchObject({ kind: "undelivered", atMs: 1_500 });
    silent.port.refuse("касса выключена");
    silent.near.cut("касса выключена");
    silent.heard.length = 0;
    expect(await silent.exchange(STATUS)).toMatchObject({ kind: "undelivered", reason: "касса выключена" });
    expect(silent.heard).toEqual([]);
  });

  it("is tried in both protocols for some seconds, and found when it is deaf at first", async () => {
    const silent = bench(undefined);
    // Three times the question for 1 s and ENQ for 3 s. Before a further round the line must have been silent for 100 ms.
    expect(await silent.exchange(CASH_IN)).toMatchObject({ kind: "undelivered", bytesLeft: false, atMs: 3 * (1_000 + 3_000) + 2 * 100 });
    expect(silent.heard).toEqual(Array(3).fill([QUESTION, ENQ]).flat());
    const deaf = bench(undefined);
    deaf.clock.after(3_500, () => deaf.speak("2.0"));
    expect(await deaf.exchange(STATUS)).toMatchObject({ kind: "answered", atMs: 4_000 });
  });

  it("of 1.0 that has an older answer tells it, and then answers", async () => {
    const { exchange, heard } = bench("1.0", { older: "1E 00" });
    const answered = await exchange(STATUS);
    expect(answered).toMatchObject({ kind: "answered", stale: [Buffer.from("1E00", "hex")] });
    expect(heard).toContain(STATUS_FRAME);
  });
});

describe("a protocol that was chosen", () => {
  it.each([
    ["1.0", ENQ],
    ["2.0", QUESTION],
  ] as const)("%s is the only one that is tried", async (protocol, first) => {
    const { exchange, exchanger, heard } = bench(undefined, { protocol });
    expect(await exchange(STATUS)).toMatchObject({ kind: "undelivered", bytesLeft: false, atMs: 15_000 });
    expect(heard).toEqual(Array(5).fill(first));
    expect(exchanger.protocol).toBe(protocol);
  });
});

/** An exchanger and a device in memory. `spoken`: the protocol of the device; undefined: it is silent. Every frame comes in one piece. */
function bench(spoken: LowLevelName | undefined, { protocol = "auto", older }: { protocol?: LowLevelName | "auto"; older?: string } = {}) {
  const clock = new VirtualClock(0);
  const heard: string[] = [];
  const device = { spoken, last: 0, stored: "", older };
  const port = new MemoryPort({ clock }, (far) => void serve(far));
  const near = port.link();

  const say = (far: Link, hex: string) => far.write(bytesOf(hex), deadlineIn(clock, 1_000));
  const serve = async (far: Link) => {
    for (;;) {
      const received = await far.read(deadlineIn(clock, 10_000_000));
      if (received.kind !== "bytes") return;
      const hex = hexOf(received.bytes);
      heard.push(hex);
      if (device.spoken === "1.0") await enquired(far, hex);
      if (device.spoken === "2.0") await answered(far, hex);
    }
  };
  const enquired = async (far: Link, hex: string) => {
    if (hex === ENQ) await say(far, device.older === undefined ? "15" : `06 ${framed(device.older)}`);
    if (hex === "06") device.older = undefined;
    if (hex.startsWith("02")) await say(far, `06 ${framed(answerTo(hex.split(" ")[2]))}`);
  };
  const answered = async (far: Link, hex: string) => {
    if (hex !== QUESTION) {
      device.last += 1;
      device.stored = answerTo(hex.split(" ")[5]);
    }
    await say(far, numbered(device.last, device.stored));
  };

  const exchanger = exchangerFor(protocol, { link: near, clock });
  const exchange = async (request: ExchangeRequest, ms = 300_000) => {
    const beginMs = clock.monotonicMs();
    let ended = false;
    const work = exchanger.exchange(request, deadlineIn(clock, ms)).finally(() => {
      ended = true;
    });
    for (let turn = 0; !ended; turn += 1) await clock.advance(turn < 20 ? 0 : 100);
    return { ...(await work), atMs: clock.monotonicMs() - beginMs };
  };
  return { clock, heard, port, near, exchanger, exchange, speak: (protocol: LowLevelName) => Object.assign(device, { spoken: protocol }) };
}

function answerTo(code = "10"): string {
  return code === "50" ? "50 00 01 4D 00" : `${code} 00`;
}
