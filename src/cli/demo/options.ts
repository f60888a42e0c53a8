import { parseArgs } from "node:util";
import { UsageError } from "../command.ts";

export interface DemoOptions {
  /** Folder of the server; absent: a fresh temporary one. */
  data?: string;
  kills: number;
  keep: boolean;
  seed: number;
}

/** More kills than this would run for an hour. */
const MAX_KILLS = 1000;
const MAX_SEED = 2 ** 32 - 1;

/** Reads the command line; a `UsageError` names the option that is wrong. */
export function readDemoOptions(args: string[], freshSeed: number): DemoOptions {
  const { values } = parse(args);
  return {
    kills: values.kill === undefined ? 0 : wholeNumber("--kill", values.kill, MAX_KILLS),
    keep: values.keep ?? false,
    seed: values.seed === undefined ? freshSeed : wholeNumber("--seed", values.seed, MAX_SEED),
    ...(values.data === undefined ? {} : { data: folder(values.data) }),
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      strict: true,
      allowPositionals: false,
      options: { data: { type: "string" }, kill: { type: "string" }, keep: { type: "boolean" }, seed: { type: "string" } },
    });
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(firstSentence(error.message));
    throw error;
  }
}

function wholeNumber(option: string, text: string, max: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= max) return value;
  throw new UsageError(`${option} takes a whole number from 0 to ${max}, not "${text}"`);
}

function folder(text: string): string {
  if (text !== "") return text;
  throw new UsageError("--data takes the name of a folder");
}

/** parseArgs explains at length; one line is asked for. */
function firstSentence(message: string): string {
  return message.split(/\. |\n/)[0] ?? message;
}
