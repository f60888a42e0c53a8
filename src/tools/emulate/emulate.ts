import { type Clock, systemChance } from "../../kernel/clock.ts";
import { Failure, messageOf } from "../../kernel/failure.ts";
import type { WallTime } from "../../kernel/moment.ts";
import { present } from "../../kernel/present.ts";
import type { Link } from "../../registers/links/link.ts";
import { listenTcp } from "../../registers/links/tcp.ts";
import type { ShtrihFront } from "../../registers/shtrih-m/device/front.ts";
import { paced } from "../../registers/shtrih-m/device/line/pace.ts";
import type { Fault } from "../../registers/shtrih-m/device/machine/faults.ts";
import type { PersonalityName } from "../../registers/shtrih-m/device/machine/personality.ts";
import { type OpenShtrihDevice, openShtrihDevice } from "../../registers/shtrih-m/device/open.ts";
import { SeededRandom } from "../seeded-random.ts";
import { answerControl } from "./control.ts";
import { openControlPort } from "./control-port.ts";
import { PseudoTerminal } from "./pseudo-terminal.ts";

export interface EmulateOptions {
  place: { kind: "tcp"; host: string; port: number } | { kind: "pty"; path: string };
  dataDir?: string;
  protocol: "1.0" | "2.0" | "auto";
  personality: PersonalityName;
  ffd: "1.05" | "1.2";
  baud?: number;
  printMs: number;
  startAt?: WallTime;
  zone: string;
  seed: number;
  faults: Fault[];
  control?: { host: string; port: number };
}

interface EmulatorStage {
  clock: Clock;
  ended: Promise<unknown>;
}

interface EmulatorWords {
  ready(place: { address: string; control?: string }): void;
  say(text: string): void;
}

/** Plays a device at the end of a line until `ended` resolves. Throws a `Failure` that names the failed option. */
export async function emulate(options: EmulateOptions, { ready, say }: EmulatorWords, { clock, ended }: EmulatorStage): Promise<void> {
  const power: PowerListener = {};
  const device = await named("--data", openDevice(options, clock, power, say));
  const closers: (() => Promise<void>)[] = [device.close];
  try {
    const line = await named(options.place.kind === "tcp" ? "--listen" : "--pty", openLine(device.front, options, clock, { power, say }));
    closers.unshift(line.close);
    const control = await named("--control", openControl(device.front, options));
    closers.unshift(control.close);
    ready({ address: line.address, ...control.place });
    await ended;
  } finally {
    for (const close of closers) await close();
  }
}

function openDevice(options: EmulateOptions, clock: Clock, power: PowerListener, say: (text: string) => void): Promise<OpenShtrihDevice> {
  const random = new SeededRandom(options.seed);
  return openShtrihDevice({
    clock,
    chance: systemChance,
    zone: options.zone,
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
    ...present({ dataDir: options.dataDir, startAt: options.startAt }),
  });
}

/** Adds the option's name to an error of the system, because such an error does not name the option. */
async function named<T>(option: string, opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    const text = messageOf(error);
    throw new Failure("emulate", "dependency", text.startsWith(option) ? text : `${option}: ${text}`, { cause: error });
  }
}

/** The values of the host's port in the answer to command 11h (shtrih-protocol 5.1). */
const TCP_PORT = 128;
const FIRST_SERIAL_PORT = 0;

/** `changed` is called when the power changes. It is set after the device has been made, because the line opens after the device. */
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
  clock: Clock,
  { power, say }: { power: PowerListener; say: (text: string) => void },
): Promise<OpenLine> {
  const accept = (link: Link) => void front.serve(baud === undefined ? link : paced(link, clock, baud));
  if (place.kind === "tcp") {
    const listener = await listenTcp(place, clock, accept);
    return { address: `shtrih-m+tcp://${bracketed(listener.place.host)}:${listener.place.port}`, close: () => listener.close() };
  }
  const terminal = new PseudoTerminal(place.path, clock, accept);
  await terminal.start();
  // The line is closed while the power is off.
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
  { control, zone }: EmulateOptions,
): Promise<{ place: { control?: string }; close(): Promise<void> }> {
  if (control === undefined) return { place: {}, close: () => Promise.resolve() };
  const port = await openControlPort(control, (line) => answerControl(front, zone, line));
  return { place: { control: `${bracketed(control.host)}:${port.port}` }, close: () => port.close() };
}

function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
