import { execFileSync, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readInput } from "../../../src/cli/input-file.ts";
import { temporaryFolder } from "../../support/server-process.ts";

describe("a file that a person named", () => {
  it("is read to its bound, also from a pipe", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "file");
    writeFileSync(file, "да");
    expect(await readInput(file, 4)).toBe("да");
    await expect(readInput(file, 3)).rejects.toThrow("more than 3 bytes");
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    const filled = spawn("sh", ["-c", `printf hello > ${pipe}`]);
    onTestFinished(() => void filled.kill());
    expect(await readInput(pipe, 5)).toBe("hello");
  });

  it("is given up at its bound when it never ends", async () => {
    await expect(readInput("/dev/zero", 100_000)).rejects.toThrow("more than 100000 bytes");
  });
});
