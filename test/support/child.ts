import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface Child {
  process: ChildProcess;
  pid: number;
  /** The lines of standard output. */
  lines: AsyncIterator<string>;
  /** Kills the process so that it cannot clean up, and waits for its end. */
  kill(): Promise<void>;
}

/** Runs a script of this folder with the same Node. Its standard error goes to this process's standard error. */
export function startChild(script: string, ...args: string[]): Child {
  const started = spawn(process.execPath, [fileURLToPath(new URL(script, import.meta.url)), ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  return {
    process: started,
    pid: started.pid ?? 0,
    lines: createInterface({ input: started.stdout })[Symbol.asyncIterator](),
    async kill() {
      if (started.exitCode !== null || started.signalCode !== null) return;
      const exit = once(started, "exit");
      started.kill("SIGKILL");
      await exit;
    },
  };
}
