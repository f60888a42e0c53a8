import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { writeTrusted } from "../../../src/kernel/private-file.ts";

it.each([
  ["is new", undefined],
  ["was left for everybody to change", 0o666],
  ["was left for everybody to run", 0o777],
  ["is private", 0o600],
])("a file that other programs trust can be changed by its owner only when it %s", (_what, before) => {
  const folder = mkdtempSync(join(tmpdir(), "trusted-"));
  const umask = process.umask(0);
  onTestFinished(() => {
    process.umask(umask);
    rmSync(folder, { recursive: true, force: true });
  });
  const file = join(folder, "ca.pem");
  if (before !== undefined) {
    writeFileSync(file, "older");
    chmodSync(file, before);
  }
  writeTrusted(file, "text");
  expect(readFileSync(file, "utf8")).toBe("text");
  expect((statSync(file).mode & 0o777).toString(8)).toBe(before === 0o600 ? "600" : "644");
});
