import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const CLI = fileURLToPath(new URL("../../src/cli.ts", import.meta.url));

/** A sandbox in a process of its own, with the values of its ready line. */
export interface SandboxProcess {
  process: ChildProcess;
  base: string;
  token: string;
  jwks: string;
  issuer: string;
  ca?: string;
  /** Returns the exit code, how long the end took, and the standard error since the start. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; tookMs: number; said: string }>;
}

/** Starts the command and waits for its ready line. Rejects with its standard error when it ends without one. */
export async function startSandbox(...args: string[]): Promise<SandboxProcess> {
  const child = spawn(process.execPath, [CLI, "sandbox", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
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
    ...(JSON.parse(first.value) as { base: string; token: string; jwks: string; issuer: string; ca?: string }),
    async end(signal) {
      const askedMs = performance.now();
      child.kill(signal);
      const [code] = (await exited) as [number | null];
      return { code, tookMs: performance.now() - askedMs, said };
    },
  };
}
