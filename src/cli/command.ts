import { visibleLine } from "../kernel/visible.ts";

export interface Command {
  name: string;
  /** One line for the list of commands. */
  summary: string;
  /** The text of `--help`. */
  usage: string;
  /** Returns the exit code. A command may end early when the signal is aborted. */
  run(args: string[], io: CommandIo): Promise<number>;
}

export interface CommandIo {
  out(text: string): void;
  err(text: string): void;
  signal: AbortSignal;
}

/** Returns an `io` that writes each call as one line, even if a text from outside contains a line break. */
export function lineByLine(io: CommandIo): CommandIo {
  return { ...io, out: (text) => io.out(visibleLine(text)), err: (text) => io.err(visibleLine(text)) };
}

/** Opens the tools, does the work, and closes the tools, even after a failure. */
export async function withTools<Tools extends { close(): Promise<void> }>(
  open: () => Promise<Tools>,
  work: (tools: Tools) => Promise<number>,
): Promise<number> {
  const tools = await open();
  try {
    return await work(tools);
  } finally {
    await tools.close();
  }
}

/** Wrong arguments: one line on standard error, exit code 2. */
export class UsageError extends Error {}
