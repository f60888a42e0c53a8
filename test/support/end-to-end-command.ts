import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const CLI = fileURLToPath(new URL("../../src/cli.ts", import.meta.url));

export interface CommandResult {
  exitCode: number | null;
  out: string;
  err: string;
}

/**
 * Runs a command of the command line in the given folder until it ends. The end of the test asks a command without a signal to end, and the
 * abort of the signal one with a signal, because it has child processes.
 */
export function runCommand(args: string[], folder: string, signal?: AbortSignal): Promise<CommandResult> {
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    ...(signal === undefined ? {} : { signal }),
  });
  if (signal === undefined) onTestFinished(() => void child.kill("SIGTERM"));
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
