import { describe, expect, it } from "vitest";
import { DeviceTrial, framed, OPEN_SHIFT, STATUS } from "../../../../support/shtrih-m-device.ts";

const STATUS_FRAME = "02 05 10 1E 00 00 00 0B";
const IDLE_ANSWER = "02 10 10 00 1E 90 02 04 00 00 9F D8 00 00 00 00 04 00 CB";

describe("the device on its line", () => {
  it("reacts to ENQ with NAK and takes a frame with or without one", async () => {
    const host = (await DeviceTrial.begin()).connect();
    expect(await host.say("05")).toEqual(["15"]);
    expect(await host.say(STATUS_FRAME)).toEqual(["06", IDLE_ANSWER]);
    expect(await host.say("06")).toEqual([]);
    expect(await host.say("05")).toEqual(["15"]);
  });

  it("refuses a frame with a wrong check byte", async () => {
    const host = (await DeviceTrial.begin()).connect();
    expect(await host.say("02 05 10 1E 00 00 00 0C")).toEqual(["15"]);
    expect(await host.say("05")).toEqual(["15"]);
  });

  it("forgets a frame that stops half-way for longer than the gap between two bytes", async () => {
    const trial = await DeviceTrial.begin();
    const host = trial.connect();
    expect(await host.say("02 05 10 1E")).toEqual([]);
    await trial.clock.advance(150);
    expect(await host.say("05")).toEqual(["15"]);
  });

  it("takes a frame whose bytes come one by one within the gap", async () => {
    const trial = await DeviceTrial.begin();
    const host = trial.connect();
    for (const byte of STATUS_FRAME.split(" ").slice(0, -1)) {
      expect(await host.say(byte)).toEqual([]);
      await trial.clock.advance(90);
    }
    expect(await host.say("0B")).toEqual(["06", IDLE_ANSWER]);
  });

  it("gives an answer that was not acknowledged again, and does not carry the command out again", async () => {
    const trial = await DeviceTrial.begin();
    const host = trial.connect();
    const answer = "02 03 E0 00 1E FD";
    expect(await host.say("02 05 E0 1E 00 00 00 FB")).toEqual(["06", answer]);
    expect(await host.say("15")).toEqual([]);
    expect(await host.say("05")).toEqual(["06", answer]);
    expect(trial.front.state().lastDocument).toBe(2);
    await host.say("06");
    expect(await host.say("05")).toEqual(["15"]);
  });

  it("lets an unacknowledged answer go when a new command comes", async () => {
    const host = (await DeviceTrial.begin()).connect();
    await host.say("02 01 FC FD");
    expect(await host.say(STATUS_FRAME)).toEqual(["06", IDLE_ANSWER]);
  });

  it("does not take a 02 inside a frame for the beginning of another", async () => {
    const host = (await DeviceTrial.begin()).connect();
    expect(await host.ask("1F 1E000000 02 0200 01")).toBe("1F 00 02 00 00 00");
  });

  it("gives each connection its own answers", async () => {
    const trial = await DeviceTrial.begin();
    const hosts = Array.from({ length: 10 }, () => trial.connect());
    const answers = await Promise.all(
      hosts.map((host, at) => host.say(framed(`1F 1E000000 02 ${(at + 1).toString(16).padStart(2, "0")}00 01`))),
    );
    expect(answers.map((pieces) => pieces.join(" ").split(" ")[5])).toEqual(
      hosts.map((_, at) => (at + 1).toString(16).toUpperCase().padStart(2, "0")),
    );
    expect(await Promise.all(hosts.map((host) => host.say("06 05")))).toEqual(hosts.map(() => ["15"]));
  });

  it("keeps the answer for a host that comes back, as long as it is the only one", async () => {
    const trial = await DeviceTrial.begin();
    const first = trial.connect();
    expect(await first.say("02 05 E0 1E 00 00 00 FB")).toHaveLength(2);
    await first.cut();
    const again = trial.connect();
    expect((await again.say("05")).join(" ")).toBe("06 02 03 E0 00 1E FD");
  });

  it("gives nobody the answer of a connection that ended while others were open", async () => {
    const trial = await DeviceTrial.begin();
    const other = trial.connect();
    const first = trial.connect();
    expect(await first.say("02 05 E0 1E 00 00 00 FB")).toHaveLength(2);
    await first.cut();
    await other.cut();
    expect(await trial.connect().say("05")).toEqual(["15"]);
  });

  it("that is fixed to protocol 1.0 says nothing to 2.0, and is not hurt by it", async () => {
    const host = (await DeviceTrial.begin({ protocol: "1.0" })).connect();
    expect(await host.say("8F 00 00 0F 1D")).toEqual([]);
    expect(await host.ask(STATUS)).toBe("10 00 1E 90 02 04 00 00 9F D8 00 00 00 00 04 00");
  });
});

describe("what the device says to commands that it cannot read", () => {
  it("names unknown commands with 37h, in the short form on a Nano", async () => {
    const desktop = (await DeviceTrial.begin()).connect();
    expect(await desktop.ask("FF 7A 1E000000")).toBe("FF 7A 37");
    expect(await desktop.ask("D9 1E000000")).toBe("D9 37");
    const nano = (await DeviceTrial.begin({ personality: "nano" })).connect();
    for (const unknown of ["FFDD 1E000000", "FF3D 1E000000"]) expect(await nano.frame(framed(unknown))).toBe("02 02 FF 37 CA");
  });

  it("refuses a wrong length with 7Eh", async () => {
    const host = (await DeviceTrial.begin()).connect();
    expect(await host.ask("10 1E0000")).toBe("10 7E");
    expect(await host.ask("10 1E00000000")).toBe("10 7E");
    expect(await host.ask("FF45 01000000 00")).toBe("FF 45 7E");
  });

  it("refuses a wrong password, and everybody but the system administrator where only that one may ask", async () => {
    const host = (await DeviceTrial.begin()).connect();
    expect(await host.frame("02 05 11 63 00 00 00 77")).toBe("02 02 11 4F 5C");
    expect(await host.ask("FF01 01000000")).toBe("FF 01 4F");
    expect(await host.ask("1F 1D000000 12 0100 03")).toBe("1F 4F");
    expect(await host.ask("40 1C000000")).toBe("40 4F");
    expect(await host.ask(OPEN_SHIFT.replace("1E", "05"))).toBe("E0 00 05");
  });
});
