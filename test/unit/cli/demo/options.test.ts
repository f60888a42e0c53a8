import { describe, expect, it } from "vitest";
import { UsageError } from "../../../../src/cli/command.ts";
import { readDemoOptions } from "../../../../src/cli/demo/options.ts";

describe("options of the demo", () => {
  it("without options a fresh seed is used and nothing is killed", () => {
    expect(readDemoOptions([], 7)).toEqual({ kills: 0, keep: false, seed: 7 });
  });

  it("all options are read", () => {
    const args = ["--data", "/tmp/x", "--kill", "5", "--keep", "--seed=3"];
    expect(readDemoOptions(args, 7)).toEqual({ data: "/tmp/x", kills: 5, keep: true, seed: 3 });
  });

  it.each([
    [["--register", "x"], "--register"],
    [["--kill", "many"], "--kill"],
    [["--kill", "-1"], "--kill"],
    [["--kill"], "--kill"],
    [["--seed", "1.5"], "--seed"],
    [["--data", ""], "--data"],
    [["now"], "now"],
  ])("%j is refused in one line that names it", (args, name) => {
    const read = () => readDemoOptions(args, 7);
    expect(read).toThrow(UsageError);
    expect(read).toThrow(new RegExp(`^[^\\n]*${name}[^\\n]*$`));
  });
});
