import { describe, expect, it } from "vitest";
import { UsageError } from "../../../src/cli/command.ts";
import { readDemoOptions } from "../../../src/cli/demo.ts";

describe("options of the demo", () => {
  it("without options a fresh seed is used and nothing is killed", () => {
    expect(readDemoOptions([], 7)).toEqual({ register: { kind: "emulator" }, kills: 0, keep: false, acquirer: "simulated", seed: 7 });
  });

  it("all options are read", () => {
    const args = ["--data", "/tmp/x", "--register", "shtrih-m+serial", "--faults", "nak", "--kill", "5", "--keep", "--seed=3"].concat(
      "--acquirer",
      "tbank",
    );
    const register = { kind: "device", line: "serial", faults: ["nak"] };
    expect(readDemoOptions(args, 7)).toEqual({ data: "/tmp/x", register, kills: 5, keep: true, acquirer: "tbank", seed: 3 });
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
