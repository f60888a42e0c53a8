import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { composeOperator } from "../../src/app/compose.ts";
import { readConfig } from "../../src/app/config.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { runCommand as runOf } from "../../src/cli/run.ts";
import { silentLog } from "../../src/kernel/log.ts";
import type { Operation } from "../../src/model/operation.ts";
import { runCommand } from "../support/end-to-end-command.ts";
import { serverProcess, temporaryFolder } from "../support/server-process.ts";
import { saleOperation, shiftOperation } from "../support/till.ts";

/** Four programs start one after the other, and a busy machine may take ten seconds to load each. */
const FOUR_PROGRAMS_MS = 240_000;

/** Has the operations registered on the folder's own emulator. */
async function registered(dataDir: string, operations: readonly Operation[]): Promise<string[]> {
  const parts = await composeOperator(readConfig({ DATA_DIR: dataDir }), silentLog, () => {});
  const kinds: string[] = [];
  for (const operation of operations) {
    const contentHash = operation.document.id;
    const submission = { appId: "app", accountId: "account", operation, contentHash, twinHash: contentHash, answer: () => Buffer.of() };
    kinds.push((await parts.operations.submit(submission)).kind);
  }
  await parts.close();
  return kinds;
}

it("a wrong receipt is repaired from the command line once the server has stopped, and not before", {
  timeout: FOUR_PROGRAMS_MS,
}, async () => {
  const folder = temporaryFolder();
  const dataDir = join(folder, "data");
  expect(await registered(dataDir, [shiftOperation("open-shift"), saleOperation("sale-1")])).toEqual(["done", "done"]);

  const server = serverProcess(dataDir);
  await server.start();
  const told = await runCommand(["journal", "correct", "sale-1"], folder);
  expect([told.exitCode, told.err]).toEqual([0, ""]);
  expect(told.out).toContain("Nothing has been registered.");
  expect(told.out).toMatch(/The register was not asked \(.* is in use by process \d+ on /);
  const held = await runCommand(["journal", "correct", "sale-1", "--yes"], folder);
  expect([held.exitCode, held.out]).toEqual([1, ""]);
  expect(held.err).toMatch(/ is in use by process \d+ on .* since .*: stop that server first\n$/);
  await server.stop();

  const done = await runCommand(["journal", "correct", "sale-1", "--yes", "--out", "receipts"], folder);
  expect([done.exitCode, done.err]).toEqual([0, ""]);
  expect(done.out).toMatch(/Entry 3: registered as ФД 4 ФП \d{10}, shift 1, /);
  expect(await readdir(join(folder, "receipts"))).toEqual(["2-undo.pdf"]);
  expect((await readFile(join(folder, "receipts", "2-undo.pdf"))).subarray(0, 5).toString()).toBe("%PDF-");
});

/** Runs a command of the command line in this process, with that folder as DATA_DIR. */
async function runHere(dataDir: string, ...args: string[]) {
  vi.stubEnv("DATA_DIR", dataDir);
  onTestFinished(() => void vi.unstubAllEnvs());
  const out: string[] = [];
  const err: string[] = [];
  const io = { out: (text: string) => out.push(text), err: (text: string) => err.push(text), signal: new AbortController().signal };
  return { exitCode: await runOf(COMMANDS, args, io), out: out.join("\n"), err: err.join("\n") };
}

it("a state report is made from the command line and drawn from what the command tells", async () => {
  const folder = temporaryFolder();
  const dataDir = join(folder, "data");
  expect(await registered(dataDir, [shiftOperation("open-shift")])).toEqual(["done"]);
  const { storeId } = shiftOperation("open-shift");
  const made = await runHere(dataDir, "journal", "report", "state", "account", storeId, "--yes", "--json");
  expect([made.exitCode, made.err]).toEqual([0, ""]);
  const stored = JSON.parse(made.out);
  expect(stored).toMatchObject({ document: { kind: "state-report" }, facts: { documentNumber: 3, stateReport: { unsent: 0 } } });
  const [file, report] = [join(folder, "stored.json"), join(folder, "report.pdf")];
  await writeFile(file, made.out);
  const drawn = await runHere(dataDir, "receipt", file, "-o", report);
  expect([drawn.exitCode, drawn.err]).toEqual([0, ""]);
  expect((await readFile(report)).subarray(0, 5).toString()).toBe("%PDF-");
});
