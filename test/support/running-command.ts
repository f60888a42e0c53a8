import { COMMANDS } from "../../src/cli/commands.ts";
import { runCommand } from "../../src/cli/run.ts";

/** A command that runs in this process until it is told to end, without the start of a program. */
export interface RunningCommand {
  /** The first line that it printed. */
  ready: string;
  out: readonly string[];
  err: readonly string[];
  /** Tells it to end as a signal does, and waits for its exit code. */
  end(): Promise<number>;
}

/** Resolves with its first line. Rejects with its exit code and its standard error when it ends without one. */
export async function startCommand(...args: string[]): Promise<RunningCommand> {
  const stop = new AbortController();
  const [out, err]: [string[], string[]] = [[], []];
  const first = Promise.withResolvers<string>();
  const io = {
    out(text: string) {
      out.push(text);
      first.resolve(text);
    },
    err: (text: string) => void err.push(text),
    signal: stop.signal,
  };
  const ended = runCommand(COMMANDS, args, io);
  ended.then((code) => first.reject(new Error(`${code}: ${err.map((line) => `${line}\n`).join("")}`)), first.reject);
  return {
    ready: await first.promise,
    out,
    err,
    end() {
      stop.abort();
      return ended;
    },
  };
}
