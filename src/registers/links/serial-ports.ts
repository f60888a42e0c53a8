import { readdir, readFile, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { messageOf } from "../../kernel/failure.ts";
import { present } from "../../kernel/present.ts";
import { listByLibrary } from "./serial.ts";

interface SerialPortInfo {
  path: string;
  maker?: string;
  serial?: string;
}

type PortList = { kind: "ports"; ports: SerialPortInfo[] } | { kind: "unknown"; reason: string };

/**
 * Returns the serial ports of this machine. On Linux they are read from the kernel's folder, because the library would start `udevadm`,
 * which containers and small systems lack. Never throws.
 */
export async function listPorts(platform: NodeJS.Platform = process.platform, folder = "/sys/class/tty"): Promise<PortList> {
  try {
    const ports = platform === "linux" ? await listByKernel(folder) : await listByLibrary();
    return { kind: "ports", ports: ports.toSorted((a, b) => a.path.localeCompare(b.path, "en", { numeric: true })) };
  } catch (error) {
    return { kind: "unknown", reason: messageOf(error) };
  }
}

/**
 * Returns the ports in words for an operator, with the cable's maker if known. Undefined: the system cannot list its ports. Never throws.
 */
export async function portNames(): Promise<string[] | undefined> {
  const listed = await listPorts();
  if (listed.kind === "unknown") return undefined;
  return listed.ports.map(({ path, maker }) => (maker === undefined ? path : `${path} (${maker})`));
}

/** Names of serial ports that a cable can reach. The kernel's folder also lists consoles. */
const WIRED = /^tty(?:USB|ACM|S|AMA|XRUSB|WCH|O|MFD)\d+$/;
/** How many folders are searched for the maker and serial number: the folder of the port's device, and its parents. */
const MAX_LEVELS = 4;

async function listByKernel(folder: string): Promise<SerialPortInfo[]> {
  const names = (await readdir(folder)).filter((name) => WIRED.test(name));
  const found = await Promise.all(names.map((name) => describe(folder, name)));
  return found.filter((port) => port !== undefined);
}

async function describe(folder: string, name: string): Promise<SerialPortInfo | undefined> {
  const device = await realpath(join(folder, name, "device")).catch(missing);
  if (device === undefined) return undefined;
  // The kernel also lists dozens of mainboard ports that the machine does not have. These ports have type 0.
  if ((await textOf(join(folder, name, "type"))) === "0") return undefined;
  let at = device;
  for (let level = 0; level < MAX_LEVELS; level += 1) {
    const maker = await textOf(join(at, "manufacturer"));
    const serial = await textOf(join(at, "serial"));
    if (maker !== undefined || serial !== undefined) {
      return { path: `/dev/${name}`, ...present({ maker, serial }) };
    }
    at = dirname(at);
  }
  return { path: `/dev/${name}` };
}

async function textOf(file: string): Promise<string | undefined> {
  return (await readFile(file, "utf8").catch(missing))?.trim();
}

function missing(): undefined {
  return undefined;
}
