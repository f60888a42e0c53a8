import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { dataFolder, registersIn } from "../../../src/agent/folder/data-folder.ts";

const MAIN = '{"registers": {"main": "emulator:x"}}';

function registersOf(content: string | Buffer): Record<string, string> {
  const path = mkdtempSync(join(tmpdir(), "agent-settings-"));
  writeFileSync(join(path, "agent.json"), content);
  return registersIn(dataFolder(path));
}

describe("the registers in agent.json", () => {
  it.each([
    ["alone", MAIN],
    ["behind a byte order mark", `\uFEFF${MAIN}`],
    ["behind an address that looks like a member", '{"registers": {"main": "emulator:x"}, "permit": "{\\"registers\\": {"}'],
    ["beside the permit's address", '{"registers": {"main": "emulator:x"}, "permit": "https://permit.example"}'],
  ])("are read %s", (_, content) => {
    expect(registersOf(content)).toEqual({ main: "emulator:x" });
  });

  it.each([
    ["a misspelt member", '{"register": {"main": "emulator:x"}}', /agent\.json expects .*; it has an unknown member "register"$/],
    ["a member that no object may have", '{"registers": {"__proto__": "emulator:x"}}', /; it has an unknown member "__proto__"$/],
    ["UTF-16", Buffer.from(`\uFEFF${MAIN}`, "utf16le"), /is not UTF-8: save it as UTF-8$/],
    ["half a file", MAIN.slice(0, 20), /expects \{"registers": \{"main": ADDRESS\}\}; it is no JSON$/],
    ["a register twice", '{"registers": {"main": "emulator:x", "main": "emulator:y"}}', /agent\.json has the member "main" twice$/],
    ["a name in two spellings", '{"registers": {"main": "emulator:x", "m\\u0061in": "emulator:y"}}', /has the member "main" twice$/],
    ["two lists of registers", '{"registers": {"a": "emulator:x"}, "registers": {"b": "emulator:y"}}', /the member "registers" twice$/],
    ["a list", "[]", /agent\.json expects \{"registers": \{"main": ADDRESS\}\}$/],
    ["a long name", `{"${"x".repeat(10_000)}": 1}`, /^.{1,200}$/],
  ])("are refused in one line in a file with %s", (_, content, line) => {
    expect(() => registersOf(content)).toThrow(expect.objectContaining({ code: "configuration", message: expect.stringMatching(line) }));
  });
});
