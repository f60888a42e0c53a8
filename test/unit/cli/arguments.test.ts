import { describe, expect, it } from "vitest";
import { readArguments } from "../../../src/cli/arguments.ts";
import { type CommandIo, UsageError } from "../../../src/cli/command.ts";
import { COMMANDS } from "../../../src/cli/commands.ts";
import { runCommand } from "../../../src/cli/run.ts";

const OPTIONS = {
  number: { type: "string" },
  out: { type: "string", short: "o" },
  fault: { type: "string", multiple: true },
  json: { type: "boolean" },
} as const;

function read(...args: string[]) {
  return readArguments({ args, options: OPTIONS, allowPositionals: true });
}

describe("arguments", () => {
  it("take a number below zero as the value of the option before it", () => {
    expect({ ...read("--number", "-5").values }).toEqual({ number: "-5" });
    expect({ ...read("--fault", "-1", "--fault", "-.5", "--number=-2", "x").values }).toEqual({ fault: ["-1", "-.5"], number: "-2" });
  });

  it.each([
    ["--number", "--number needs a value"],
    ["--number --json", "--number needs a value; one that begins with a dash is written --number=-…"],
    ["--number -x", "--number needs a value; one that begins with a dash is written --number=-…"],
    ["-o", "--out needs a value"],
    ["--json=yes", "--json takes no value"],
    ["--jsn", "there is no option --jsn; known are --number, --out, --fault, --json"],
    ["--json -5", "there is no option -5; known are --number, --out, --fault, --json"],
    ["--number 5 --fault x --number 6", "--number is given twice, and takes one value"],
    ["-o a --out=b", "--out is given twice, and takes one value"],
    ["-5", "there is no option -5; known are --number, --out, --fault, --json"],
  ])("that are wrong are refused in one line: %s", (args, line) => {
    expect(() => read(...args.split(" "))).toThrow(new UsageError(line));
  });
});

/** Wrong arguments with the line on standard error. The exit code is 2, and no command opens anything before its arguments are right. */
const WRONG: [string, RegExp][] = [
  ["demo --seed -5", /^--seed takes a whole number/],
  ["demo --kill -1", /^--kill takes a whole number/],
  ["demo --data", /^--data needs a value$/],
  ["demo there", /^"there" is too much: only options are taken$/],
  ["emulate shtrih-m --baud -9600", /^--baud is a whole number from 50/],
  ["emulate shtrih-m --print-ms -1", /^--print-ms is a whole number from 0/],
  ["emulate shtrih-m --listen -1", /^--listen is tcp:\/\/HOST:PORT/],
  ["doctor emulator:x --zone -3", /^--zone expects a time zone/],
  ["doctor emulator:x --json=1", /^--json takes no value$/],
  ["settings list -5", /^there is no option -5: this command takes none/],
  ["journal list --limit -5", /^--limit expects a whole number/],
  ["journal list --before -1", /^--before expects a whole number/],
  ["journal settle 1 --done --number", /^--number needs a value$/],
  ["receipt x.json -o y.pdf --paper -58", /^unknown paper -58/],
  ["descriptor there", /^"there" is too much: only options are taken$/],
  ["conformance --base http://127.0.0.1:1 --port -5", /^--port /],
  ["conformance --base", /^--base needs a value$/],
  ["sandbox --port -5", /^--port |^there is no option --port/],
  ["descriptor -1", /^there is no option -1: this command takes none$/],
  ["migrate -1", /^migrate takes no arguments/],
  ["journal settle 1 --done --number 5 --number 6", /^--number is given twice/],
  ["agent status --data a --data b", /^--data is given twice/],
  ["a\nb", /^there is no command "a\\u000ab"/],
];

describe("every command", () => {
  it.each(WRONG)("names the option that is wrong and what it expects: %s", async (args, line) => {
    const said: string[] = [];
    const io: CommandIo = { out: (text) => said.push(text), err: (text) => said.push(text), signal: AbortSignal.abort() };
    expect(await runCommand(COMMANDS, args.split(" "), io)).toBe(2);
    expect(said).toEqual([expect.stringMatching(line)]);
    expect(said[0]).not.toContain("\n");
  });

  it("cuts the line about an argument of 100 KB", async () => {
    const said: string[] = [];
    const io: CommandIo = { out: (text) => said.push(text), err: (text) => said.push(text), signal: AbortSignal.abort() };
    expect(await runCommand(COMMANDS, ["journal", "x".repeat(100_000)], io)).toBe(2);
    expect(said).toEqual([expect.stringMatching(/^.{1,2001}$/)]);
  });
});
