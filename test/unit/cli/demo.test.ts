import { describe, expect, it } from "vitest";
import { UsageError } from "../../../src/cli/command.ts";
import { readDemoOptions } from "../../../src/cli/demo.ts";

describe("options of the demo", () => {
  it("without options a fresh seed is used and nothing is killed", () => {
    expect(readDemoOptions([], 7)).toEqual({
      register: { kind: "emulator" },
      kills: 0,
      keep: false,
      agent: false,
      acquirer: "simulated",
      seed: 7,
    });
  });

  it("all options are read", () => {
    const args = ["--data", "/tmp/x", "--register", "shtrih-m+serial", "--faults", "nak", "--kill", "5", "--keep", "--seed=3"].concat(
      "--acquirer",
      "tbank",
    );
    const register = { kind: "device", line: "serial", faults: ["nak"] };
    expect(readDemoOptions(args, 7)).toEqual({ data: "/tmp/x", register, kills: 5, keep: true, agent: false, acquirer: "tbank", seed: 3 });
  });

  const DATABASE = "postgres://postgres@127.0.0.1:5432/test";

  it("several servers work on the database, at a device and with a bank, since an emulator and the simulated acquirer are in one", () => {
    const read = (...args: string[]) => readDemoOptions(["--processes", "3", ...args], 7, DATABASE);
    const several = { processes: 3, databaseUrl: DATABASE };
    const device = { kind: "device", line: "tcp", faults: [] };
    expect(read("--kill", "5")).toEqual({ register: device, several, agent: false, kills: 5, keep: false, acquirer: "tbank", seed: 7 });
    expect(read("--acquirer", "yookassa", "--faults", "nak")).toMatchObject({
      acquirer: "yookassa",
      register: { ...device, faults: ["nak"] },
    });
    expect(read("--only", "fiscal")).toMatchObject({ only: "fiscal", acquirer: "simulated" });
    const address = "shtrih-m+tcp://10.0.0.5:7778";
    expect(read("--register", address).register).toEqual({ kind: "found", address });
    expect(readDemoOptions([], 7, DATABASE)).not.toHaveProperty("several");
  });

  it.each([
    [["--processes", "2"], undefined, "DATABASE_URL"],
    [["--processes", "1"], DATABASE, "--processes"],
    [["--processes", "9"], DATABASE, "--processes"],
    [["--processes", "two"], DATABASE, "--processes"],
    [["--processes", "2", "--register", "emulator"], DATABASE, "--register"],
    [["--processes", "2", "--register", "emulator:shop"], DATABASE, "--register"],
    [["--processes", "2", "--acquirer", "simulated"], DATABASE, "simulated"],
    [["--processes", "2", "--agent"], DATABASE, "--agent"],
  ])("%j with the database %s is refused in one line that names %s", (args, database, name) => {
    const read = () => readDemoOptions(args, 7, database);
    expect(read).toThrow(UsageError);
    expect(read).toThrow(new RegExp(`^[^\\n]*${name}[^\\n]*$`));
  });

  it("the fiscal rows alone are chosen", () => {
    expect(readDemoOptions(["--only", "fiscal"], 7)).toMatchObject({ only: "fiscal", acquirer: "simulated" });
  });

  it.each([
    [["--register", "emulator"], { kind: "emulator" }],
    [["--register", "shtrih-m+tcp"], { kind: "device", line: "tcp", faults: [] }],
    [["--faults", "nak", "--faults", "busy=5"], { kind: "device", line: "tcp", faults: ["nak", "busy=5"], assumed: true }],
    [["--register", "shtrih-m+tcp://10.0.0.5:7778"], { kind: "found", address: "shtrih-m+tcp://10.0.0.5:7778" }],
  ])("%j chooses the register %o", (args, register) => {
    expect(readDemoOptions(args, 7).register).toEqual(register);
  });

  it.each([
    [["--register", "x"], "--register"],
    [["--faults", "lost-answer"], "--faults"],
    [["--register", "emulator", "--faults", "nak"], "--faults"],
    [["--register", "shtrih-m+tcp://10.0.0.5", "--faults", "nak"], "--faults"],
    [["--kill", "many"], "--kill"],
    [["--kill", "-1"], "--kill"],
    [["--kill"], "--kill"],
    [["--seed", "1.5"], "--seed"],
    [["--data", ""], "--data"],
    [["--only", "loyalty"], "--only"],
    [["--acquirer", "sber"], "--acquirer"],
    [["--only", "fiscal", "--acquirer", "tbank"], "--acquirer"],
    [["now"], "now"],
  ])("%j is refused in one line that names it", (args, name) => {
    const read = () => readDemoOptions(args, 7);
    expect(read).toThrow(UsageError);
    expect(read).toThrow(new RegExp(`^[^\\n]*${name}[^\\n]*$`));
  });
});
