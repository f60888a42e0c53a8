import { readTimeZone } from "../app/config.ts";
import { systemChance, systemClock } from "../kernel/clock.ts";
import { Failure, messageOf } from "../kernel/failure.ts";
import type { Link } from "../registers/links/link.ts";
import { listenTcp } from "../registers/links/tcp.ts";
import type { ShtrihFront } from "../registers/shtrih-m/device/front.ts";
import { type OpenShtrihDevice, openShtrihDevice } from "../registers/shtrih-m/device/open.ts";
import { paced } from "../registers/shtrih-m/device/pace.ts";
import { answerControl } from "../tools/emulate/control.ts";
import { openControlPort } from "../tools/emulate/control-port.ts";
import { PseudoTerminal } from "../tools/emulate/pseudo-terminal.ts";
import { SeededRandom } from "../tools/sandbox/caller/random.ts";
import { aborted } from "./aborted.ts";
import type { Command, CommandIo } from "./command.ts";
import { type EmulateOptions, readEmulateOptions } from "./emulate/options.ts";

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
  --clock ISO                start of the device's clock; it then runs (default: the system's). It shows the time of
                             TIME_ZONE, as the server expects it there (default Europe/Moscow)
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
  run(args, io) {
    const zone = readTimeZone();
    return emulate(readEmulateOptions(args, zone), zone, io);
  },
};

async function emulate(options: EmulateOptions, zone: string, io: CommandIo): Promise<number> {
  const say = (text: string) => io.err(text);
  const power: PowerListener = {};
  const device = await named("--data", openDevice(options, zone, power, say));
  const closers: (() => Promise<void>)[] = [device.close];
  try {
    const line = await named(options.place.kind === "tcp" ? "--listen" : "--pty", openLine(device.front, options, power, say));
    closers.unshift(line.close);
    const control = await named("--control", openControl(device.front, zone, options));
    closers.unshift(control.close);
    io.out(JSON.stringify({ address: line.address, ...control.told }));
    await aborted(io.signal);
    return 0;
  } finally {
    for (const close of closers) await close();
  }
}

function openDevice(options: EmulateOptions, zone: string, power: PowerListener, say: (text: string) => void): Promise<OpenShtrihDevice> {
  const random = new SeededRandom(options.seed);
  return openShtrihDevice({
    clock: systemClock,
    chance: systemChance,
    zone,
    protocol: options.protocol,
    personality: options.personality,
    ffd: options.ffd,
    printMs: options.printMs,
    faults: options.faults,
    faultChance: (limit) => random.below(limit),
    port: options.place.kind === "tcp" ? TCP_PORT : FIRST_SERIAL_PORT,
    paper: (lines) => say(lines.map((line) => `| ${line}`).join("\n")),
    note: say,
    onPower(on) {
      say(on ? "power on" : "power off");
      power.changed?.(on);
    },
    ...(options.dataDir === undefined ? {} : { dataDir: options.dataDir }),
    ...(options.startAt === undefined ? {} : { startAt: options.startAt }),
  });
}

/** What the system says does not name the option that it is about. */
async function named<T>(option: string, opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    const text = messageOf(error);
    throw new Failure("emulate", "dependency", text.startsWith(option) ? text : `${option}: ${text}`, { cause: error });
  }
}

/** How 11h calls the host's port (reference 5.1). */
const TCP_PORT = 128;
const FIRST_SERIAL_PORT = 0;

/** Whoever must know when the power goes or comes: the line is opened after the device. */
interface PowerListener {
  changed?: (on: boolean) => void;
}

interface OpenLine {
  address: string;
  close(): Promise<void>;
}

async function openLine(
  front: ShtrihFront,
  { place, baud }: EmulateOptions,
  power: PowerListener,
  say: (text: string) => void,
): Promise<OpenLine> {
  const accept = (link: Link) => void front.serve(baud === undefined ? link : paced(link, systemClock, baud));
  if (place.kind === "tcp") {
    const listener = await listenTcp(place, systemClock, accept);
    return { address: `shtrih-m+tcp://${bracketed(listener.place.host)}:${listener.place.port}`, close: () => listener.close() };
  }
  const terminal = new PseudoTerminal(place.path, systemClock, accept);
  await terminal.start();
  // The cable goes and comes with the power.
  let turn = Promise.resolve();
  power.changed = (on) => {
    turn = turn.then(() => (on ? terminal.start() : terminal.stop())).catch((error: unknown) => say(messageOf(error)));
  };
  return {
    address: `shtrih-m+serial:${place.path}${baud === undefined ? "" : `?baud=${baud}`}`,
    async close() {
      delete power.changed;
      await turn;
      await terminal.stop();
    },
  };
}

async function openControl(
  front: ShtrihFront,
  zone: string,
  { control }: EmulateOptions,
): Promise<{ told: { control?: string }; close(): Promise<void> }> {
  if (control === undefined) return { told: {}, close: () => Promise.resolve() };
  const port = await openControlPort(control, (line) => answerControl(front, zone, line));
  return { told: { control: `${bracketed(control.host)}:${port.port}` }, close: () => port.close() };
}

function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
