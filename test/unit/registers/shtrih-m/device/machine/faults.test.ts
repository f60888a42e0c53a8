import { describe, expect, it } from "vitest";
import { parseFault, specOf } from "../../../../../../src/registers/shtrih-m/device/machine/faults.ts";
import {
  CLOSE_SALE,
  COFFEE,
  DeviceTrial,
  framed,
  type Host,
  OPEN_SALE,
  OPEN_SHIFT,
  STATUS,
  sell,
} from "../../../../../support/shtrih-m-device.ts";

async function opened(...faults: string[]): Promise<{ trial: DeviceTrial; host: Host }> {
  const trial = await DeviceTrial.begin({ faults });
  const host = trial.connect();
  await host.ask(OPEN_SHIFT);
  return { trial, host };
}

const OPENED = "02 03 8D 00 01 8F";

describe("faults on the line", () => {
  it("lose-request: the frame is as if it had never come", async () => {
    const { host } = await opened("lose-request@8D");
    expect(await host.say(framed(OPEN_SALE))).toEqual([]);
    expect(await host.say("05")).toEqual(["15"]);
    expect(await host.frame(framed(OPEN_SALE))).toBe(OPENED);
  });

  it("lose-answer: the command is carried out, its answer is gone for good", async () => {
    const { trial, host } = await opened("lose-answer@FF45");
    await host.all(OPEN_SALE, COFFEE);
    expect(await host.say(framed(CLOSE_SALE))).toEqual(["06"]);
    expect(await host.say("05")).toEqual(["15"]);
    expect(trial.front.state().lastDocument).toBe(3);
  });

  it("garble-answer: a wrong check byte once, the right answer after ENQ", async () => {
    const { trial, host } = await opened("garble-answer@8D");
    const [acknowledged, garbled] = await host.say(framed(OPEN_SALE));
    expect([acknowledged, garbled?.slice(0, 5), garbled === OPENED]).toEqual(["06", "02 03", false]);
    expect((await host.say("15 05")).join(" ")).toBe(`06 ${OPENED}`);
    expect(trial.front.state().receipt?.items).toBe(0);
  });

  it("nak: the frame is refused, and taken when it comes again", async () => {
    const { host } = await opened("nak@8D");
    expect(await host.say(framed(OPEN_SALE))).toEqual(["15"]);
    expect(await host.frame(framed(OPEN_SALE))).toBe(OPENED);
  });

  it("silent: carried out at once, then deaf and dumb for a time, then answered", async () => {
    const { trial, host } = await opened("silent@FF45=4000");
    await host.all(OPEN_SALE, COFFEE);
    expect(await host.say(framed(CLOSE_SALE))).toEqual(["06"]);
    await trial.clock.advance(3_900);
    expect(await host.say("05")).toEqual([]);
    expect(trial.front.state().lastDocument).toBe(3);
    await trial.clock.advance(200);
    expect((await host.hear()).join(" ")).toMatch(/^02 10 FF 45 00 /);
  });

  it("byte-by-byte: each byte of the answer is a write of its own", async () => {
    const { host } = await opened("byte-by-byte@8D");
    expect(await host.say(framed(OPEN_SALE))).toEqual(["06", ...OPENED.split(" ")]);
  });

  it("glue: acknowledgement and answer leave together", async () => {
    const { host } = await opened("glue@8D");
    expect(await host.say(framed(OPEN_SALE))).toEqual([`06 ${OPENED}`]);
  });

  it("noise: a byte FF after the host's acknowledgement", async () => {
    const { host } = await opened("noise@8D");
    await host.say(framed(OPEN_SALE));
    expect(await host.say("06")).toEqual(["FF"]);
    expect(await host.say("05")).toEqual(["15"]);
  });
});

describe("faults of the device", () => {
  it("busy: printing commands get 50h for a time, others their answer", async () => {
    const { trial, host } = await opened("busy@8D=700");
    expect(await host.ask(STATUS)).toMatch(/^10 00 1E 90 02 02 00 /);
    expect(await host.ask(OPEN_SALE)).toBe("8D 50");
    expect(await host.ask(STATUS)).toMatch(/^10 00 1E 90 02 02 05 /);
    await trial.clock.advance(700);
    expect(await host.ask(OPEN_SALE)).toBe("8D 00 01");
  });

  it("paper-out: the document is registered, its printing stops", async () => {
    const { trial, host } = await opened();
    trial.fault("paper-out");
    expect(await sell(host)).toMatch(/^FF 45 00 /);
    expect(await host.ask(STATUS)).toMatch(/^10 00 1E 10 00 08 02 /);
  });

  it("power-cut-before: nothing is registered, the receipt is gone, connections drop until the power is back", async () => {
    const { trial, host } = await opened();
    trial.fault("power-cut-before=5000");
    await host.all(OPEN_SALE, COFFEE);
    expect(await host.say(framed(CLOSE_SALE))).toEqual(["06"]);
    expect(host.isConnected).toBe(false);
    const early = trial.connect();
    await early.hear();
    expect(early.isConnected).toBe(false);
    await trial.clock.advance(5_000);
    const late = trial.connect();
    expect(await late.say("05")).toEqual(["15"]);
    expect(await late.ask(STATUS)).toMatch(/^10 00 1E 90 02 02 00 00 /);
    expect(trial.front.state().lastDocument).toBe(2);
  });

  it("power-cut-after: registered, and off until it is switched on", async () => {
    const { trial, host } = await opened();
    trial.fault("power-cut-after");
    await host.all(OPEN_SALE, COFFEE);
    expect(await host.say(framed(CLOSE_SALE))).toEqual(["06"]);
    await trial.clock.advance(60_000);
    expect(trial.front.state()).toMatchObject({ power: false, lastDocument: 3 });
    expect(trial.front.setPower(true)).toBe(true);
    expect(await trial.connect().ask("FF01 1E000000")).toMatch(/^FF 01 00 03 00 00 01 .* 03 00 00 00$/);
  });

  it("shift-expired: from then on the shift counts as too long, the next one does not", async () => {
    const { host } = await opened("shift-expired");
    expect(await host.ask(OPEN_SALE)).toBe("8D 4E");
    expect(await host.ask(STATUS)).toMatch(/^10 00 1E 90 02 03 /);
    expect(await host.ask("50 1E000000 E803000000")).toBe("50 4E");
    await host.all("41 1E000000", OPEN_SHIFT);
    expect(await host.ask(OPEN_SALE)).toBe("8D 00 01");
  });

  it("drive-full: the documents that it strikes are refused with 06h", async () => {
    const { host } = await opened();
    const trial = await DeviceTrial.begin({ faults: ["drive-full#2"] });
    const other = trial.connect();
    expect(await other.ask(OPEN_SHIFT)).toBe("E0 00 1E");
    expect(await sell(other)).toBe("FF 45 06");
    expect(await other.ask(CLOSE_SALE)).toMatch(/^FF 45 00 /);
    expect(await sell(host)).toMatch(/^FF 45 00 /);
  });

  it("clock-jump: the clock goes to and fro, and a document before the last one is refused with 07h", async () => {
    const { trial, host } = await opened("clock-jump@8D=3600000", "clock-jump@8D#2=-7200000");
    await host.ask(OPEN_SALE);
    expect(trial.front.state().time).toBe("2026-03-14 11:07:00");
    await host.all(COFFEE, CLOSE_SALE, OPEN_SALE, COFFEE);
    expect(trial.front.state().time).toBe("2026-03-14 09:07:00");
    expect(await host.ask(CLOSE_SALE)).toBe("FF 45 07");
  });

  it("come at the Nth such command, or at each", async () => {
    const { host } = await opened("nak@10#2", "lose-request@13#*");
    expect(await host.say(framed(STATUS))).toHaveLength(2);
    await host.say("06");
    expect(await host.say(framed(STATUS))).toEqual(["15"]);
    expect(await host.say(framed("13 1E000000"))).toEqual([]);
    expect(await host.say(framed("13 1E000000"))).toEqual([]);
  });
});

describe("the words of a fault", () => {
  it.each(["lose-answer", "lose-answer@FF45", "nak@10#3", "noise#*", "silent=4000", "power-cut-after@E0=2000", "clock-jump@8D#2=-60000"])(
    "are read and written: %s",
    (spec) => {
      const parsed = parseFault(spec);
      expect(parsed.kind === "fault" && specOf(parsed.fault)).toBe(spec);
    },
  );

  it("take a command in either case, with or without its h", () => {
    expect(parseFault("nak@ff45h")).toEqual({ kind: "fault", fault: { name: "nak", command: "FF45", nth: 1 } });
  });

  it.each([
    ["lose", "there is no fault"],
    ["lose-answer@ZZ", "is no fault of the form"],
    ["lose-answer@D9", "there is no command D9"],
    ["silent", "needs milliseconds"],
    ["nak=5", "takes no value"],
    ["busy=-1", "below zero"],
    ["nak#0", "is no fault of the form"],
  ])("are refused when they mean nothing: %s", (spec, problem) => {
    const parsed = parseFault(spec);
    expect(parsed.kind === "invalid" && parsed.problem).toContain(problem);
  });
});
