import { type ParseArgsConfig, parseArgs } from "node:util";
import { repeatedOption } from "../kernel/arguments/repeated-option.ts";
import { messageOf } from "../kernel/failure.ts";
import { UsageError } from "./command.ts";

type Read<T extends ParseArgsConfig> = ReturnType<typeof parseArgs<T>>;

/** Returns a command's arguments. Throws a `UsageError` of one line that names what is wrong. */
export function readArguments<T extends ParseArgsConfig>(config: T): Read<T> {
  const options = config.options ?? {};
  const whole: T = { ...config, args: withNegativeNumbers(config.args ?? [], options) };
  try {
    const repeated = repeatedOption(whole);
    if (repeated !== undefined) throw new UsageError(`--${repeated} is given twice, and takes one value`);
    return parseArgs(whole);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(wordsFor(error, options));
  }
}

type Options = NonNullable<ParseArgsConfig["options"]>;

/**
 * Joins a negative number to the option before it: `parseArgs` would take the number for an option. The command checks the number's range.
 */
function withNegativeNumbers(args: readonly string[], options: Options): string[] {
  const joined: string[] = [];
  for (const arg of args) {
    const before = joined.at(-1);
    if (before !== undefined && /^-[\d.]/.test(arg) && takesValue(before, options)) joined.splice(-1, 1, `${before}=${arg}`);
    else joined.push(arg);
  }
  return joined;
}

function takesValue(arg: string, options: Options): boolean {
  return arg.startsWith("--") && options[arg.slice(2)]?.type === "string";
}

/** Returns the option (by its long name) or argument that Node's message quotes. */
function quotedIn(message: string): string {
  return /'(?:-\w, )?([^' ]+)/.exec(message)?.[1] ?? "";
}

function wordsFor(error: TypeError, options: Options): string {
  const message = messageOf(error);
  const quoted = quotedIn(message);
  const names = Object.keys(options).map((name) => `--${name}`);
  switch ("code" in error ? error.code : undefined) {
    case "ERR_PARSE_ARGS_UNKNOWN_OPTION":
      return `there is no option ${quoted}${names.length === 0 ? ": this command takes none" : `; known are ${names.join(", ")}`}`;
    case "ERR_PARSE_ARGS_INVALID_OPTION_VALUE":
      if (message.includes("does not take")) return `${quoted} takes no value`;
      return `${quoted} needs a value${message.includes("dash") ? `; one that begins with a dash is written ${quoted}=-…` : ""}`;
    case "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL":
      return `"${quotedIn(message)}" is too much: only options are taken`;
    default:
      return message.split(/\. |\n/)[0] ?? message;
  }
}
