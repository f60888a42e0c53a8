import { Failure } from "../kernel/failure.ts";
import { visible, visibleLine } from "../kernel/visible.ts";
import { type Command, type CommandIo, UsageError } from "./command.ts";

/** Loads a command only when it is needed, so that `receipt` loads no database and `migrate` no PDF library. The overview loads all. */
export interface CommandLoader {
  name: string;
  /** True for a command that watches the signal and ends by itself, without a time limit from the process. */
  watchesSignal?: true;
  load(): Promise<Command>;
}

/** The longest line about wrong arguments, in characters. The lists of known options are shorter. */
const MAX_USAGE_LINE = 2_000;

/**
 * Runs the command that the arguments name. Exit code: the command's own, 0 for help, 2 for wrong or no arguments, 1 for a `Failure`. Any
 * other error is thrown.
 */
export async function runCommand(commands: readonly CommandLoader[], args: string[], terminal: CommandIo): Promise<number> {
  const io = harmless(terminal);
  const [name, ...rest] = args;
  if (name === undefined || name === "--help" || name === "help") {
    io.out(await overview(commands));
    return name === undefined ? 2 : 0;
  }
  const found = commands.find((command) => command.name === name);
  if (found === undefined) {
    io.err(inOneLine(`there is no command "${name}"; known are ${commands.map((command) => command.name).join(", ")}`));
    return 2;
  }
  const command = await found.load();
  if (rest.includes("--help")) {
    io.out(command.usage.trimEnd());
    return 0;
  }
  try {
    return await command.run(rest, io);
  } catch (error) {
    if (!(error instanceof UsageError) && !(error instanceof Failure)) throw error;
    io.err(error instanceof UsageError ? inOneLine(error.message) : error.message);
    return error instanceof UsageError ? 2 : 1;
  }
}

/** Words about wrong arguments contain the arguments, which may be long and have line breaks. */
function inOneLine(words: string): string {
  const line = visibleLine(words);
  return line.length <= MAX_USAGE_LINE ? line : `${line.slice(0, MAX_USAGE_LINE).toWellFormed()}…`;
}

/** Returns an `io` that makes control characters visible. Otherwise a terminal would obey the control characters in texts from outside. */
function harmless({ out, err, signal }: CommandIo): CommandIo {
  return { out: (text) => out(visible(text)), err: (text) => err(visible(text)), signal };
}

async function overview(commands: readonly CommandLoader[]): Promise<string> {
  const loaded = await Promise.all(commands.map((command) => command.load()));
  const width = Math.max(...loaded.map(({ name }) => name.length));
  const lines = loaded.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return ["Usage: npm run cli -- COMMAND [options]", "", ...lines, "", "--help after a command tells more."].join("\n");
}
