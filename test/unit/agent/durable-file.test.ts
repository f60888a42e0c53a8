import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { writeWhole } from "../../../src/agent/folder/durable-file.ts";

const WRITER = new URL("../../../src/agent/folder/durable-file.ts", import.meta.url).href;

/** Writes in a process whose files may have 2 KiB at most. Like a disk without more space, the system then takes a part of a longer text. */
function writeBounded(file: string, text: string) {
  const script = `import(process.argv[1]).then(({ writeWhole }) => writeWhole(process.argv[2], process.argv[3], { durable: true }))`;
  const shell = `trap "" XFSZ; ulimit -f 4; exec "$@"`;
  return spawnSync("sh", ["-c", shell, "sh", process.execPath, "-e", script, WRITER, file, text], { encoding: "utf8" });
}

it.skipIf(process.platform === "win32")("a file that the disk takes only in part is not put in place of the existing file", () => {
  const folder = mkdtempSync(join(tmpdir(), "agent-durable-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "key.pem");
  const tooLong = writeBounded(file, "x".repeat(3_000));
  expect(tooLong.stderr).toContain("EFBIG");
  expect(existsSync(file)).toBe(false);

  writeWhole(file, "the old content", { durable: true });
  expect(writeBounded(file, "x".repeat(3_000)).status).not.toBe(0);
  expect(readFileSync(file, "utf8")).toBe("the old content");

  expect(writeBounded(file, "новое").status).toBe(0);
  expect(readFileSync(file, "utf8")).toBe("новое");
});
