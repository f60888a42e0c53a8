import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const CLI = fileURLToPath(new URL("../../src/cli.ts", import.meta.url));

/** A bank in a process of its own, with the values of its ready line. */
interface BankProcess {
  process: ChildProcess;
  base: string;
  control: string;
  acquirer: string;
  /** Returns the exit code, which is null after SIGKILL, and how long the end took. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; tookMs: number }>;
}

/** Starts the command and waits for its ready line. Rejects with its standard error when it ends without one. */
export async function startBank(args: readonly string[], environment: Record<string, string> = {}): Promise<BankProcess> {
  const child = spawn(process.execPath, [CLI, "bank", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...environment },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString("utf8");
  });
  // Its last words may come after it has ended.
  const exited = once(child, "close");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const first = await lines.next();
  if (first.done === true) {
    const [code] = await exited;
    throw new Error(`${code}: ${said}`);
  }
  return {
    process: child,
    ...(JSON.parse(first.value) as { base: string; control: string; acquirer: string }),
    async end(signal) {
      const askedMs = performance.now();
      child.kill(signal);
      const [code] = (await exited) as [number | null];
      return { code, tookMs: performance.now() - askedMs };
    },
  };
}
