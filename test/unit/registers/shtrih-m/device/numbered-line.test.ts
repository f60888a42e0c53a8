import { describe, expect, it } from "vitest";
import { CLOSE_SALE, COFFEE, DeviceTrial, OPEN_SALE, OPEN_SHIFT, STATUS } from "../../../../support/shtrih-m-device.ts";
import { NumberedHost, numbered, QUESTION } from "../../../../support/shtrih-m-numbered.ts";

const NOTHING_DONE = numbered(0, "");
const IDLE = "10 00 1E 90 02 04 00 00 9F D8 00 00 00 00 04 00";
const CASH_IN = "50 01000000 E803000000";

describe("the device on a line of protocol 2.0", () => {
  it("answers the vectors of the protocol document", async () => {
    const trial = await DeviceTrial.begin();
    const host = trial.connect();
    expect(await host.say("8F 07 00 01 00 10 1E 00 00 00 1F AC")).toEqual([
      "8F 12 00 01 00 10 00 1E 90 02 04 00 00 9F 83 D8 00 00 00 00 04 00 04 F0",
    ]);
    // The sum is 408.47, whose bytes are stuffed. The shift is closed.
    expect(await host.say("8F 0C 00 02 00 50 01 00 00 00 9F 81 9F 83 00 00 00 B9 E1")).toEqual([numbered(2, "50 3D")]);
    await new NumberedHost(host, 2).ask(OPEN_SHIFT);
    expect(await host.say(numbered(4, "50 01 00 00 00 8F 9F 00 00 00"))).toEqual([numbered(4, "50 00 01 03 00")]);
    expect(trial.front.state().drawerKopecks).toBe(40_847);
  });

  it("tells a question its number and its last answer, type II before any command", async () => {
    const host = (await DeviceTrial.begin()).connect();
    expect(await host.say(QUESTION)).toEqual([NOTHING_DONE]);
    await host.say(numbered(1, STATUS));
    expect(await host.say(QUESTION)).toEqual([numbered(1, IDLE)]);
  });

  it("carries out each number once: a repeat and a foreign number get the stored answer", async () => {
    const trial = await DeviceTrial.begin();
    const host = trial.connect();
    const till = new NumberedHost(host);
    await till.all(OPEN_SHIFT, CASH_IN);
    const stored = numbered(2, "50 00 01 03 00");
    for (const number of [2, 2, 1, 9, 65_535]) expect(await host.say(numbered(number, CASH_IN))).toEqual([stored]);
    expect(await host.say(numbered(2, STATUS))).toEqual([stored]);
    expect(trial.front.state().drawerKopecks).toBe(1_000);
  });

  it("keeps silent at a damaged frame, an unfinished one and the bytes of protocol 1.0", async () => {
    const trial = await DeviceTrial.begin();
    const host = trial.connect();
    expect(await host.say("8F 07 00 01 00 10 1E 00 00 00 1F AD")).toEqual([]);
    expect(await host.say("8F 01 00 8F 07 00 9F 82")).toEqual([]);
    expect(await host.say("05 02 05 10 1E 00 00 00 0B 06")).toEqual([]);
    expect(await host.say("8F 07 00 01 00 10")).toEqual([]);
    await trial.clock.advance(150);
    expect(await host.say("1E 00 00 00 1F AC")).toEqual([]);
    expect(await host.say(QUESTION)).toEqual([NOTHING_DONE]);
  });

  it("takes a frame byte by byte within the gap, and two in one piece", async () => {
    const trial = await DeviceTrial.begin();
    const host = trial.connect();
    const bytes = numbered(1, STATUS).split(" ");
    for (const byte of bytes.slice(0, -1)) {
      expect(await host.say(byte)).toEqual([]);
      await trial.clock.advance(90);
    }
    expect(await host.say(bytes.at(-1) ?? "")).toEqual([numbered(1, IDLE)]);
    expect(await host.say(`${numbered(2, STATUS)} ${numbered(3, STATUS)}`)).toEqual([numbered(2, IDLE), numbered(3, IDLE)]);
  });

  it("keeps count and answer for whoever connects next: they are the device's", async () => {
    const trial = await DeviceTrial.begin();
    const first = trial.connect();
    await first.say(numbered(1, OPEN_SHIFT));
    const other = trial.connect();
    expect(await other.say(QUESTION)).toEqual([numbered(1, "E0 00 1E")]);
    await first.cut();
    expect(await other.say(numbered(1, OPEN_SHIFT))).toEqual([numbered(1, "E0 00 1E")]);
    expect(trial.front.state().lastDocument).toBe(2);
  });

  it("gives ten connections each its own answers", async () => {
    const trial = await DeviceTrial.begin();
    const hosts = Array.from({ length: 10 }, () => trial.connect());
    const row = (at: number) => (at + 1).toString(16).toUpperCase().padStart(2, "0");
    const answers = await Promise.all(hosts.map((host, at) => host.say(numbered(at + 1, `1F 1E000000 02 ${row(at)}00 01`))));
    expect(answers).toEqual(hosts.map((_, at) => [numbered(at + 1, `1F 00 ${row(at)} 00 00 00`)]));
  });
});

describe("the protocol of the device", () => {
  it("follows the first byte since the power came, on every connection", async () => {
    const trial = await DeviceTrial.begin();
    const first = trial.connect();
    expect(await first.say("FF 41")).toEqual([]);
    expect(await first.say(`00 ${QUESTION}`)).toEqual([NOTHING_DONE]);
    expect(await trial.connect().say("05")).toEqual([]);
    trial.front.setPower(false);
    trial.front.setPower(true);
    expect(await trial.connect().say("05")).toEqual(["15"]);
    expect(await trial.connect().say(QUESTION)).toEqual([]);
  });

  it.each(["05", "02 05 10 1E 00 00 00 0B"])("is 1.0 after %s", async (first) => {
    const host = (await DeviceTrial.begin()).connect();
    expect(await host.say(first)).not.toEqual([]);
    await host.say("06");
    expect(await host.say(QUESTION)).toEqual([]);
    expect(await host.say("05")).toEqual(["15"]);
  });

  it("can be fixed, and stays so when the power comes back", async () => {
    const trial = await DeviceTrial.begin({ protocol: "2.0" });
    expect(await trial.connect().say("05")).toEqual([]);
    trial.front.setPower(false);
    trial.front.setPower(true);
    const host = trial.connect();
    expect(await host.say("05")).toEqual([]);
    expect(await host.say(QUESTION)).toEqual([NOTHING_DONE]);
  });
});

describe("faults over protocol 2.0", () => {
  it("lose-answer carries the sale out; the same frame brings the answer and makes no second one", async () => {
    const trial = await DeviceTrial.begin({ faults: ["lose-answer@FF45"] });
    const host = trial.connect();
    const till = new NumberedHost(host);
    await till.all(OPEN_SHIFT, OPEN_SALE, COFFEE);
    expect(await host.say(numbered(4, CLOSE_SALE))).toEqual([]);
    expect(trial.front.state().lastDocument).toBe(3);
    const [answer] = await host.say(numbered(4, CLOSE_SALE));
    expect(answer).toMatch(/^8F 12 00 04 00 FF 45 00 00 00 00 00 00 03 00 00 00 /);
    expect(await host.say(QUESTION)).toEqual([answer]);
    expect(trial.front.state().lastDocument).toBe(3);
  });

  it.each(["lose-request@10", "nak@10"])("%s is a frame that never came, since there is no NAK", async (fault) => {
    const host = (await DeviceTrial.begin({ faults: [fault] })).connect();
    expect(await host.say(numbered(1, STATUS))).toEqual([]);
    expect(await host.say(QUESTION)).toEqual([NOTHING_DONE]);
    expect(await host.say(numbered(1, STATUS))).toEqual([numbered(1, IDLE)]);
  });

  it.each([0, 7, 40, 128, 143])("garble-answer turns bit %i, and a repeat brings the right answer", async (bit) => {
    const limits: number[] = [];
    const faultChance = (limit: number) => limits.push(limit) && bit;
    const trial = await DeviceTrial.begin({ faults: ["garble-answer@10"], faultChance });
    const host = trial.connect();
    const right = numbered(1, IDLE);
    const [garbled = ""] = await host.say(numbered(1, STATUS));
    expect(garbled).not.toBe(right);
    expect(garbled.slice(0, "8F 12 00 01 00".length)).toBe("8F 12 00 01 00");
    expect(limits).toEqual([(16 + 2) * 8]);
    expect(await host.say(numbered(1, STATUS))).toEqual([right]);
  });

  it("silent answers late, and does not hear what was said meanwhile", async () => {
    const trial = await DeviceTrial.begin({ faults: ["silent@10=500"] });
    const host = trial.connect();
    expect(await host.say(numbered(1, STATUS))).toEqual([]);
    expect(await host.say(numbered(1, STATUS))).toEqual([]);
    await trial.clock.advance(500);
    expect(await host.hear()).toEqual([numbered(1, IDLE)]);
  });

  it("byte-by-byte sends every byte of the answer in a segment of its own", async () => {
    const host = (await DeviceTrial.begin({ faults: ["byte-by-byte@10"] })).connect();
    expect(await host.say(numbered(1, STATUS))).toEqual(numbered(1, IDLE).split(" "));
  });

  it("glue sends the answer before and this one in one segment", async () => {
    const host = (await DeviceTrial.begin({ faults: ["glue@10#*"] })).connect();
    expect(await host.say(numbered(1, STATUS))).toEqual([numbered(1, IDLE)]);
    expect(await host.say(numbered(2, STATUS))).toEqual([`${numbered(1, IDLE)} ${numbered(2, IDLE)}`]);
  });

  it("noise puts FF behind the answer", async () => {
    const host = (await DeviceTrial.begin({ faults: ["noise@10"] })).connect();
    expect(await host.say(numbered(1, STATUS))).toEqual([`${numbered(1, IDLE)} FF`]);
  });

  it.each([
    ["power-cut-before@E0=1000", 1],
    ["power-cut-after@E0=1000", 2],
  ])("%s loses count and answer, and the connection", async (fault, documents) => {
    const trial = await DeviceTrial.begin({ faults: [fault] });
    const host = trial.connect();
    const till = new NumberedHost(host);
    await till.ask(STATUS);
    expect(await host.say(till.next(OPEN_SHIFT))).toEqual([]);
    expect(host.isConnected).toBe(false);
    await trial.clock.advance(1_000);
    const again = trial.connect();
    expect(await again.say(numbered(2, OPEN_SHIFT))).toEqual([NOTHING_DONE]);
    expect(trial.front.state().lastDocument).toBe(documents);
  });

  it("FEh F3 restarts the device: it counts anew", async () => {
    const trial = await DeviceTrial.begin();
    const till = new NumberedHost(trial.connect());
    await till.ask(STATUS);
    await till.host.say(till.next("FE F3 00000000"));
    await trial.clock.advance(1);
    expect(await trial.connect().say(QUESTION)).toEqual([NOTHING_DONE]);
  });
});
