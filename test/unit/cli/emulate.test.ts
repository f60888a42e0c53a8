import { describe, expect, it } from "vitest";
import { UsageError } from "../../../src/cli/command.ts";
import { readEmulateOptions } from "../../../src/cli/emulate.ts";

const read = (...args: string[]) => readEmulateOptions(["shtrih-m", ...args], "Europe/Moscow");

describe("the emulator's options", () => {
  it("are those of its documentation when none is given", () => {
    expect(read()).toEqual({
      place: { kind: "tcp", host: "127.0.0.1", port: 0 },
      protocol: "auto",
      personality: "desktop",
      ffd: "1.2",
      printMs: 0,
      zone: "Europe/Moscow",
      seed: 1,
      faults: [],
    });
  });

  it("name the zone whose time the clock shows, also for what --clock says", () => {
    expect(read("--zone", "Asia/Omsk", "--clock", "2026-11-28T10:00:00Z")).toMatchObject({
      zone: "Asia/Omsk",
      startAt: "2026-11-28 16:00:00",
    });
    expect(() => read("--zone", "Omsk")).toThrow('--zone is a time zone such as Asia/Omsk, not "Omsk"');
  });

  it("take any whole number as a seed that can be told from its neighbours, a moment in milliseconds too", () => {
    for (const seed of ["0", "2147483648", "4294967296", "1795860000000", String(Number.MAX_SAFE_INTEGER)]) {
      expect(read("--seed", seed).seed).toBe(Number(seed));
    }
  });

  it.each([
    ["--seed", "9007199254740992", "from 0 to 9007199254740991"],
    ["--seed", "1e3", "from 0 to 9007199254740991"],
    ["--print-ms", "86400001", "from 0 to 86400000"],
    ["--baud", "49", "from 50 to 100000000"],
  ])("say for %s %s in which limits the number lies", (option, text, limits) => {
    expect(() => read(option, text)).toThrow(UsageError);
    expect(() => read(option, text)).toThrow(`${option} is a whole number ${limits}, not "${text}"`);
  });

  it.each([
    ["2026-11-28T10:00:00", "2026-11-28 10:00:00"],
    ["2026-11-28 10:00:00", "2026-11-28 10:00:00"],
    ["2026-11-28T10:00", "2026-11-28 10:00:00"],
    ["2026-11-28T10:00:00.250", "2026-11-28 10:00:00"],
    ["2026-11-28T07:00:00Z", "2026-11-28 10:00:00"],
    ["2026-11-28T07:00:00.000Z", "2026-11-28 10:00:00"],
    ["2026-11-28T10:00:00+03:00", "2026-11-28 10:00:00"],
  ])("read the clock %s as %s in Moscow", (text, wall) => {
    expect(read("--clock", text).startAt).toBe(wall);
  });

  it.each(["", "noon", "2026-11-28", "2026-02-30T10:00:00", "1999-12-31T23:59:59", "2100-01-01T00:00:00"])(
    "refuse the clock %j, which no device shows",
    (text) => {
      expect(() => read("--clock", text)).toThrow("--clock");
    },
  );

  it("keep faults in their order, with command, turn and value", () => {
    const faults = ["lose-answer@FF45#2", "noise#*", "silent@10h=250", "clock-jump=-5"];
    expect(read(...faults.flatMap((spec) => ["--fault", spec])).faults).toEqual([
      { name: "lose-answer", command: "FF45", nth: 2 },
      { name: "noise", nth: "each" },
      { name: "silent", command: "10", nth: 1, value: 250 },
      { name: "clock-jump", nth: 1, value: -5 },
    ]);
  });
});
