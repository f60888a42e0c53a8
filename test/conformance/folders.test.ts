import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { runCommand } from "../../src/cli/run.ts";
import { makeFolder } from "../../src/kernel/folder.ts";
import { lockFolder } from "../../src/registers/folder-lock.ts";
import { DriveFile } from "../../src/registers/virtual/drive-file.ts";
import { openStore } from "../../src/store/database.ts";
import { lockDataDir } from "../../src/store/lock.ts";

const root = mkdtempSync(join(tmpdir(), "folders-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
writeFileSync(join(root, "file"), "");
symlinkSync(join(root, "nowhere"), join(root, "dangling"));

/** Places in which nobody can make a folder. In the first one Node's own recursive making never ends. */
const IMPOSSIBLE: Record<string, string> = {
  "below /proc": "/proc/x/data",
  "below a file": join(root, "file", "data"),
  "a file": join(root, "file"),
  "a link that leads nowhere": join(root, "dangling"),
  "a name that is too long": join(root, "x".repeat(300)),
};

const MAKERS: Record<string, (folder: string) => Promise<unknown>> = {
  "a folder": async (folder) => makeFolder(folder),
  "the lock of a data folder": (folder) => lockDataDir(folder, { pid: 1, host: "one", since: "2026-11-28T08:00:00.000Z" }),
  "the folder of a register": (folder) => lockFolder(folder, 0),
  "the file of a drive": (folder) => DriveFile.open(join(folder, "drive.records")),
  "a database": (folder) => openStore({ kind: "sqlite", file: join(folder, "fiscal.sqlite") }),
};

describe("folders", () => {
  it("are made with those above them, for this user alone, and stay as they are when they are there", () => {
    makeFolder(join(root, "a", "b", "c"));
    expect([statSync(join(root, "a")).mode & 0o777, statSync(join(root, "a", "b", "c")).mode & 0o777]).toEqual([0o700, 0o700]);
    mkdirSync(join(root, "theirs"), { mode: 0o755 });
    makeFolder(join(root, "theirs"));
    expect(statSync(join(root, "theirs")).mode & 0o777).toBe(0o755);
  });

  for (const [what, make] of Object.entries(MAKERS)) {
    it.each(Object.entries(IMPOSSIBLE).filter(([where]) => existsSync("/proc") || where !== "below /proc"))(
      `that cannot be are refused at once with one line: ${what}, %s`,
      async (_where, folder) => {
        const error = await make(folder).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        expect(error).toBeInstanceOf(Error);
        expect(String(error)).toMatch(/^.+\/.+$/);
      },
    );
  }

  it.each(Object.entries(IMPOSSIBLE).filter(([where]) => existsSync("/proc") || where !== "below /proc"))(
    "that a command is given are named with their option: %s",
    async (_where, folder) => {
      for (const args of [
        ["emulate", "shtrih-m", "--data", folder],
        ["demo", "--data", folder],
      ]) {
        const said: string[] = [];
        const io = { out: (text: string) => said.push(text), err: (text: string) => said.push(text), signal: AbortSignal.abort() };
        expect(await runCommand(COMMANDS, args, io)).toBe(1);
        expect(said).toEqual([expect.stringMatching(/^--data: .+$/)]);
      }
    },
  );
});
