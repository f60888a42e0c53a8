import { DEVELOPMENT_CREDENTIAL, readClockAhead } from "../app/config.ts";
import { clockAhead, systemChance } from "../kernel/clock.ts";
import { parseAddress } from "../registers/catalogue.ts";
import { parseFault } from "../registers/shtrih-m/device/machine/faults.ts";
import { type DemoOptions, playDemo, type RegisterChoice } from "../tools/demo/demo.ts";
import type { Solution } from "../tools/sandbox/caller/installation.ts";
import { PLATFORM_NAMES } from "../tools/sandbox/caller/names.ts";
import { readArguments } from "./arguments.ts";
import { type Command, UsageError } from "./command.ts";

const USAGE = `Usage: npm run demo -- [options]

Starts the server and plays a shift of a shop through it, as the platform would. Every receipt is written to
demo-receipts/. Ends with 0 when every answer was right, else with 1.

  --register R   emulator (default): inside the server; shtrih-m+tcp or shtrih-m+serial: a device that the demo
                 starts, at a TCP port or a pseudo-terminal (by socat); or the full address of a register
                 with a debug drive
  --faults SPEC  a fault of that device, as \`cli emulate --help\` lists them; repeatable. The demo then does at
                 the register what a cashier is told to do, and still nothing may be lost or doubled.
                 Without --register: at shtrih-m+tcp
  --agent        the register stands in the shop, behind an agent; kills strike the server or the agent
  --only fiscal  without payments by QR and without the loyalty programme
  --acquirer A   who takes QR payments: simulated (default) asks nobody; for yookassa and tbank the demo starts their
                 fake bank, at which the buyer pays
  --data DIR     data folder of the server, which stays (default: a temporary one, which is removed however the day
                 ends, unless --keep leaves the server there)
  --kill N       kill the server with -9 at a random moment N times, start it again, repeat the request
  --keep         leave the server running at the end, with a sandbox platform, and print the addresses of the
                 console and of the settings page in the platform's frame
  --seed N       play the same deaths and goods again
  --help         this text
`;

/** The development credentials, in the form of interface 2. */
const SOLUTION: Solution = {
  ...DEVELOPMENT_CREDENTIAL,
  names: PLATFORM_NAMES.canonical,
};

export const demoCommand: Command = {
  name: "demo",
  summary: "play a whole shift against a fresh server and a register",
  usage: USAGE,
  run: (args, io) => {
    const options = readDemoOptions(args, systemChance.bytes(4).readUInt32LE());
    const aheadMs = readClockAhead();
    return playDemo(options, SOLUTION, { clock: clockAhead(aheadMs), aheadMs }, io);
  },
};

/** The largest number of kills. With more kills the demo would run for an hour. */
const MAX_KILLS = 1000;
const MAX_SEED = 2 ** 32 - 1;
const ACQUIRERS = ["simulated", "yookassa", "tbank"] as const;
const LINES = { "shtrih-m+tcp": "tcp", "shtrih-m+serial": "serial" } as const;

/** Reads the arguments. Throws a `UsageError` that names the wrong option. */
export function readDemoOptions(args: string[], freshSeed: number): DemoOptions {
  const { values } = parse(args);
  return {
    register: registerChoice(values.register, values.faults ?? []),
    kills: values.kill === undefined ? 0 : wholeNumber("--kill", values.kill, MAX_KILLS),
    keep: values.keep ?? false,
    agent: values.agent ?? false,
    ...qrChoice(values),
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
      agent: { type: "boolean" },
      only: { type: "string" },
      acquirer: { type: "string" },
      seed: { type: "string" },
    },
  });
}

function qrChoice({
  only,
  acquirer,
}: {
  only?: string | undefined;
  acquirer?: string | undefined;
}): Pick<DemoOptions, "only" | "acquirer"> {
  if (only !== undefined && only !== "fiscal") throw new UsageError(`--only takes fiscal, not "${only}"`);
  const chosen = ACQUIRERS.find((name) => name === (acquirer ?? "simulated"));
  if (chosen === undefined) throw new UsageError(`--acquirer takes ${ACQUIRERS.join(", ")}, not "${acquirer}"`);
  if (only === undefined) return { acquirer: chosen };
  if (acquirer !== undefined) throw new UsageError("--acquirer takes QR payments, of which --only fiscal has none");
  return { only, acquirer: chosen };
}

/**
 * Returns the register of the demo. Faults need a device that the demo starts. Without `--register` the demo uses the emulator, or a device
 * at a TCP port if faults are given.
 */
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
