import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const AGENT = fileURLToPath(new URL("../../src/agent.ts", import.meta.url));

export interface AgentProcess {
  child: ChildProcess;
  /** Returns everything that was printed so far. */
  out(): string;
  err(): string;
  /** Resolves when the standard output or the standard error matches. Rejects when the program ends without a match. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  ended: Promise<number | null>;
}

/** Starts the real agent as a process. It is killed when the test ends. */
export function startAgent(args: string[], { cwd, env = {} }: { cwd?: string; env?: Record<string, string> } = {}): AgentProcess {
  const child = spawn(process.execPath, [AGENT, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
    ...(cwd === undefined ? {} : { cwd }),
  });
  let out = "";
  let err = "";
  const heard = new Set<() => void>();
  const tell = () => {
    for (const one of heard) one();
  };
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString("utf8");
    tell();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    err += chunk.toString("utf8");
    tell();
  });
  const ended = once(child, "close").then(([code]) => code as number | null);
  onTestFinished(() => void child.kill("SIGKILL"));
  return {
    child,
    out: () => out,
    err: () => err,
    ended,
    until(pattern) {
      return new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(out) ?? pattern.exec(err);
          if (found === null) return;
          heard.delete(look);
          resolve(found);
        };
        heard.add(look);
        look();
        ended.then((code) => reject(new Error(`the agent ended with ${code}: ${out}${err}`)), reject);
      });
    },
  };
}

/** Runs a command of the agent to its end. */
export async function agentCommand(args: string[], options: Parameters<typeof startAgent>[1] = {}) {
  const started = startAgent(args, options);
  const code = await started.ended;
  return { code, out: started.out(), err: started.err() };
}
