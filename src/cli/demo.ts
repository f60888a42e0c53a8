import { DEVELOPMENT_CREDENTIAL, readClockAhead, readDatabaseUrl } from "../app/config.ts";
import { clockAhead, systemChance } from "../kernel/clock.ts";
import { present } from "../kernel/present.ts";
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
  --processes N  N servers on the PostgreSQL database of DATABASE_URL, 2 to 8, each with a folder and addresses of its own, at a
                 device (shtrih-m+tcp unless --register names another) and with a bank (tbank unless --acquirer names another);
                 requests go to them in turn. --kill strikes any of them, and another one takes its register over
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
    const options = readDemoOptions(args, systemChance.bytes(4).readUInt32LE(), readDatabaseUrl());
    const aheadMs = readClockAhead();
    return playDemo(options, SOLUTION, { clock: clockAhead(aheadMs), aheadMs }, io);
  },
};

/** The maximum number of kills. With more the demo would run for an hour. */
const MAX_KILLS = 1000;
const MIN_PROCESSES = 2;
/** The maximum number of processes. Each process takes about 200 MB and ten database connections. */
const MAX_PROCESSES = 8;
const MAX_SEED = 2 ** 32 - 1;
const ACQUIRERS = ["simulated", "yookassa", "tbank"] as const;
const LINES = { "shtrih-m+tcp": "tcp", "shtrih-m+serial": "serial" } as const;

/** Reads the arguments. Throws a `UsageError` that names the wrong option. */
export function readDemoOptions(args: string[], freshSeed: number, databaseUrl?: string): DemoOptions {
  const { values } = parse(args);
  const several = values.processes === undefined ? undefined : severalOn(values.processes, databaseUrl);
  const register = registerChoice(values.register, values.faults ?? []);
  return {
    register: several === undefined ? register : ofSeveral(register, values.register),
    ...present({ several }),
    kills: values.kill === undefined ? 0 : wholeNumber("--kill", values.kill, MAX_KILLS),
    keep: values.keep ?? false,
    agent: agentChoice(values.agent ?? false, several !== undefined),
    ...qrChoice({ ...values, acquirer: several === undefined ? values.acquirer : bankOfSeveral(values) }),
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
      processes: { type: "string" },
      keep: { type: "boolean" },
      agent: { type: "boolean" },
      only: { type: "string" },
      acquirer: { type: "string" },
      seed: { type: "string" },
    },
  });
}

function severalOn(text: string, databaseUrl: string | undefined): DemoOptions["several"] {
  const processes = wholeNumber("--processes", text, MAX_PROCESSES);
  if (processes < MIN_PROCESSES) throw new UsageError(`--processes takes at least ${MIN_PROCESSES}: without it there is one server`);
  if (databaseUrl !== undefined) return { processes, databaseUrl };
  throw new UsageError("--processes needs DATABASE_URL: an SQLite database serves one process");
}

function agentChoice(agent: boolean, isSeveral: boolean): boolean {
  if (agent && isSeveral)
    throw new UsageError("--agent dials one server, and --processes starts several without a proxy: give one of them");
  return agent;
}

/** Several servers need a device instead of an emulator, because an emulator's memory is in one process. */
function ofSeveral(register: RegisterChoice, given: string | undefined): RegisterChoice {
  const isEmulator = register.kind === "emulator" || (register.kind === "found" && register.address.startsWith("emulator:"));
  if (!isEmulator) return register;
  if (given !== undefined) throw new UsageError("--processes takes no emulator: its memory lies in one process; leave --register out");
  return { kind: "device", line: "tcp", faults: [] };
}

/** Several servers need a bank instead of the simulated acquirer, which keeps its payments in one process. */
function bankOfSeveral({ only, acquirer }: { only?: string | undefined; acquirer?: string | undefined }): string | undefined {
  if (acquirer === "simulated") throw new UsageError("--processes takes yookassa or tbank: the simulated acquirer lives in one process");
  return only === undefined ? (acquirer ?? "tbank") : acquirer;
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
 * Returns the register of the demo. Faults need a device that the demo starts. Without `--register` the demo uses the emulator or, if
 * faults are given, a device at a TCP port.
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
