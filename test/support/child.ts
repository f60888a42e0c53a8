import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export interface Child {
  process: ChildProcess;
  pid: number;
  /** Lines of standard output as they come. */
  lines: AsyncIterator<string>;
  /** Ends it without a chance to clean up, and waits until it is gone. */
  kill(): Promise<void>;
}

/** Runs a script of this folder under the same Node. Its errors go to ours. */
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
