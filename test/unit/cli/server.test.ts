import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { COMPILE_CACHE } from "../../support/compile-cache.ts";
import { temporaryFolder } from "../../support/server-process.ts";

const MAIN = fileURLToPath(new URL("../../../src/main.ts", import.meta.url));
/** A server that started in spite of its arguments would run until this limit. */
const LIMIT_MS = 60_000;

/** Starts the server with arguments in an empty folder. */
function started(...args: string[]) {
  const cwd = temporaryFolder();
  const env = { ...COMPILE_CACHE, PORT: "0", DATA_DIR: "data", DATABASE_URL: "" };
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], { cwd, env, encoding: "utf8", timeout: LIMIT_MS });
  return { status, out: stdout, err: stderr, made: readdirSync(cwd) };
}

it.each([["--port", "8081"], ["--anything"], ["-h"], ["serve"], ["two\nlines"]])(
  "the server does not start with an argument that it would ignore: one line and code 2: %s",
  (...args) => {
    const { status, out, err, made } = started(...args);
    expect({ status, out, made, lines: err.trimEnd().split("\n").length }).toEqual({ status: 2, out: "", made: [], lines: 1 });
    expect(err).toMatch(/ is too much: the server takes no arguments.*\.env\.example/);
  },
);

it("the server asked for help says how it is started and set, and does not start", () => {
  for (const args of [["--help"], ["--port", "8081", "--help"]]) {
    const { out, ...rest } = started(...args);
    expect(rest).toEqual({ status: 0, err: "", made: [] });
    expect(out).toMatch(/^Usage: npm start\n/);
    expect(out).toContain(".env.example");
  }
});
