import { processClock } from "../app/clock.ts";
import { readTimeZone } from "../app/config.ts";
import { isZone, type WallTime } from "../kernel/moment.ts";
import { type Fault, parseFault } from "../registers/shtrih-m/device/machine/faults.ts";
import { PERSONALITIES, type PersonalityName } from "../registers/shtrih-m/device/machine/personality.ts";
import { DEVICE_TIME, readDeviceTime } from "../tools/emulate/device-time.ts";
import { type EmulateOptions, emulate } from "../tools/emulate/emulate.ts";
import { aborted } from "./aborted.ts";
import { readArguments } from "./arguments.ts";
import { type Command, UsageError } from "./command.ts";
import { atMost, given, oneOf, wholeNumber } from "./option-values.ts";

const USAGE = `Usage: npm run cli -- emulate shtrih-m [options]

A fiscal register at the end of a TCP port or pseudo-terminal, as far as its host can tell. It is a test
tool, no cash register. Runs until SIGTERM or SIGINT. Standard output carries one JSON line when it is
ready, with its address; what it prints and what it has to say goes to standard error.

  --listen tcp://HOST:PORT   where to listen (default tcp://127.0.0.1:0, a free port)
  --pty PATH                 a pseudo-terminal instead, by socat
  --data DIR                 keep drive and register there, durable over kill -9 (default: memory)
  --protocol 1.0|2.0|auto    low level of the protocol (default auto: as the first byte since the power came)
  --personality NAME         desktop, cashcore or nano (default desktop)
  --ffd 1.05|1.2             format version of a new drive (default 1.2)
  --baud N                   pace the bytes as a line of that speed
  --print-ms N               a document is printed for that long (default 0)
  --clock ISO                start of the device's clock; it then runs (default: the system's)
  --zone ZONE                whose time that clock shows (default: TIME_ZONE, as the server expects it, else Europe/Moscow)
  --seed N                   chance of faults (default 1)
  --fault NAME[@COMMAND][#N][=VALUE]
                             repeatable; at the Nth such command (default first), with #* at each
  --control HOST:PORT        JSON lines in and out
  --help                     this text

Faults: lose-request, lose-answer, garble-answer, nak, silent=MS, busy=MS, paper-out, power-cut-before[=MS],
power-cut-after[=MS], byte-by-byte, glue, noise, shift-expired, drive-full, clock-jump=MS.
What they do, and how to test a driver with them: src/registers/shtrih-m/device/README.md.
`;

export const emulateCommand: Command = {
  name: "emulate",
  summary: "a fiscal register at the end of a TCP port or pseudo-terminal, for tests",
  usage: USAGE,
  async run(args, io) {
    const words = { ready: (line: object) => io.out(JSON.stringify(line)), say: (text: string) => io.err(text) };
    await emulate(readEmulateOptions(args, readTimeZone()), words, { clock: processClock(), ended: aborted(io.signal) });
    return 0;
  },
};

const TARGET = "shtrih-m";

/** Reads the arguments. Throws a `UsageError` of one line that names what is wrong. */
export function readEmulateOptions(args: string[], defaultZone: string): EmulateOptions {
  const { values, positionals } = parse(args);
  const zone = values.zone === undefined ? defaultZone : zoneNamed(values.zone);
  const [target] = positionals;
  if (target !== TARGET) {
    const found = target === undefined ? "" : `, not "${target}"`;
    throw new UsageError(`emulate needs the name of a device, which is ${TARGET}${found}: emulate ${TARGET} [options]`);
  }
  atMost(positionals, 1, `emulate ${TARGET} [options]`);
  if (values.listen !== undefined && values.pty !== undefined) throw new UsageError("--pty stands instead of --listen: give one of them");
  return {
    place:
      values.pty === undefined
        ? { kind: "tcp", ...listenPlace(values.listen ?? "tcp://127.0.0.1:0") }
        : { kind: "pty", path: ptyPath(values.pty) },
    protocol: oneOf("--protocol", values.protocol ?? "auto", ["1.0", "2.0", "auto"]),
    personality: oneOf("--personality", values.personality ?? "desktop", Object.keys(PERSONALITIES) as PersonalityName[]),
    ffd: oneOf("--ffd", values.ffd ?? "1.2", ["1.05", "1.2"]),
    printMs: wholeNumber("--print-ms", values["print-ms"] ?? "0", 0, MAX_PRINT_MS),
    zone,
    seed: wholeNumber("--seed", values.seed ?? "1", 0, MAX_SEED),
    faults: (values.fault ?? []).map(faultOf),
    ...(values.data === undefined ? {} : { dataDir: given("--data", values.data, "a folder") }),
    ...(values.baud === undefined ? {} : { baud: wholeNumber("--baud", values.baud, MIN_BAUD, MAX_BAUD) }),
    ...(values.clock === undefined ? {} : { startAt: clockOf(values.clock, zone) }),
    ...(values.control === undefined ? {} : { control: hostPort("--control", values.control, "HOST:PORT") }),
  };
}

const OPTIONS = {
  listen: { type: "string" },
  pty: { type: "string" },
  data: { type: "string" },
  protocol: { type: "string" },
  personality: { type: "string" },
  ffd: { type: "string" },
  baud: { type: "string" },
  "print-ms": { type: "string" },
  clock: { type: "string" },
  zone: { type: "string" },
  seed: { type: "string" },
  fault: { type: "string", multiple: true },
  control: { type: "string" },
} as const;

/** The lowest speed: a byte takes a fifth of a second. */
const MIN_BAUD = 50;
/** The highest speed: above it no byte would have to wait. */
const MAX_BAUD = 100_000_000;
const MAX_PRINT_MS = 86_400_000;
/** The largest seed: large enough for a moment in milliseconds. */
const MAX_SEED = Number.MAX_SAFE_INTEGER;

function parse(args: string[]) {
  return readArguments({ args, options: OPTIONS, allowPositionals: true });
}

function listenPlace(text: string): { host: string; port: number } {
  if (!text.startsWith("tcp://")) throw new UsageError(`--listen is tcp://HOST:PORT, not "${text}"`);
  return hostPort("--listen", text.slice("tcp://".length), "tcp://HOST:PORT");
}

function hostPort(option: string, text: string, form: string): { host: string; port: number } {
  const [, host, digits] = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (host === undefined || port > 65_535) throw new UsageError(`${option} is ${form}, not "${text}"`);
  return { host: host.replace(/^\[|\]$/g, ""), port };
}

function ptyPath(path: string): string {
  // These characters have a special meaning for socat.
  if (/[,:!"'\\]/.test(path)) throw new UsageError(`--pty takes a path without , : ! quotes and backslashes, not "${path}"`);
  return given("--pty", path, "a path");
}

function clockOf(text: string, zone: string): WallTime {
  const wall = readDeviceTime(text, zone);
  if (wall === undefined) throw new UsageError(`--clock is ${DEVICE_TIME}, not "${text}"`);
  return wall;
}

function zoneNamed(text: string): string {
  if (!isZone(text)) throw new UsageError(`--zone is a time zone such as Asia/Omsk, not "${text}"`);
  return text;
}

function faultOf(spec: string): Fault {
  const parsed = parseFault(spec);
  if (parsed.kind === "invalid") throw new UsageError(`--fault: ${parsed.problem}`);
  return parsed.fault;
}
