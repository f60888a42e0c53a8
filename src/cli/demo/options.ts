import { parseAddress } from "../../registers/catalogue.ts";
import { parseFault } from "../../registers/shtrih-m/device/faults.ts";
import { readArguments } from "../arguments.ts";
import { UsageError } from "../command.ts";

export interface DemoOptions {
  /** Folder of the server; absent: a fresh temporary one. */
  data?: string;
  register: RegisterChoice;
  kills: number;
  keep: boolean;
  seed: number;
}

/** The register that the day is played on. */
export type RegisterChoice =
  /** In the server's own process. */
  | { kind: "emulator" }
  /** A device at the end of a line, which the demo starts itself, with faults of the emulator's command line; `assumed`: for their sake alone. */
  | { kind: "device"; line: "tcp" | "serial"; faults: string[]; assumed?: true }
  /** One that is there already. */
  | { kind: "found"; address: string };

/** More kills than this would run for an hour. */
const MAX_KILLS = 1000;
const MAX_SEED = 2 ** 32 - 1;
const LINES = { "shtrih-m+tcp": "tcp", "shtrih-m+serial": "serial" } as const;

/** Reads the command line; a `UsageError` names the option that is wrong. */
export function readDemoOptions(args: string[], freshSeed: number): DemoOptions {
  const { values } = parse(args);
  return {
    register: registerChoice(values.register, values.faults ?? []),
    kills: values.kill === undefined ? 0 : wholeNumber("--kill", values.kill, MAX_KILLS),
    keep: values.keep ?? false,
    seed: values.seed === undefined ? freshSeed : wholeNumber("--seed", values.seed, MAX_SEED),
    ...(values.data === undefined ? {} : { data: folder(values.data) }),
  };
}

function parse(args: string[]) {
  return readArguments({
    args,
    strict: true,
    allowPositionals: false,
    options: {
      data: { type: "string" },
      register: { type: "string" },
      faults: { type: "string", multiple: true },
      kill: { type: "string" },
      keep: { type: "boolean" },
      seed: { type: "string" },
    },
  });
}

/** Faults strike a device that the demo starts; when nothing else is said, one at a TCP port. */
function registerChoice(text: string | undefined, faults: string[]): RegisterChoice {
  for (const spec of faults) {
    const parsed = parseFault(spec);
    if (parsed.kind === "invalid") throw new UsageError(`--faults: ${parsed.problem}`);
  }
  const line = text === undefined ? "tcp" : isLine(text) ? LINES[text] : undefined;
  if (line !== undefined && text !== undefined) return { kind: "device", line, faults };
  if (line !== undefined && faults.length > 0) return { kind: "device", line, faults, assumed: true };
  if (faults.length > 0)
    throw new UsageError(`--faults strike a device that the demo starts: --register ${Object.keys(LINES).join(" or ")}`);
  if (text === undefined || text === "emulator") return { kind: "emulator" };
  const parsed = parseAddress(text);
  if (parsed.kind === "invalid") {
    throw new UsageError(`--register is emulator, ${Object.keys(LINES).join(", ")} or an address: ${parsed.problem}`);
  }
  return { kind: "found", address: text };
}

function isLine(text: string): text is keyof typeof LINES {
  return Object.hasOwn(LINES, text);
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
