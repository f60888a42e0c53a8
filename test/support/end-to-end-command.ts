import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const CLI = fileURLToPath(new URL("../../src/cli.ts", import.meta.url));

export interface CommandResult {
  exitCode: number | null;
  out: string;
  err: string;
}

/** Runs a command of the command line to its end, in the given folder. */
export function runCommand(args: string[], folder: string): Promise<CommandResult> {
  const child = spawn(process.execPath, [CLI, ...args], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const chunks: { out: Buffer[]; err: Buffer[] } = { out: [], err: [] };
  child.stdout.on("data", (chunk: Buffer) => chunks.out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => chunks.err.push(chunk));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode) => {
      resolve({ exitCode, out: Buffer.concat(chunks.out).toString("utf8"), err: Buffer.concat(chunks.err).toString("utf8") });
    });
  });
}
