import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { endianness } from "node:os";
import { nextTurn } from "../../kernel/clock.ts";
import { plainAddress } from "../source.ts";

/** Tables of Linux with one line for each TCP connection of this system (proc(5)). */
const TABLES = ["/proc/self/net/tcp", "/proc/self/net/tcp6"] as const;
/** The tables of a busy server have ten thousand lines. Other work runs between two steps of this many lines. */
const LINES_A_STEP = 500;
/** `0: 0100007F:1F90 0200007F:C350 01 0000A000:00000000 …`: the server's and the caller's address, state, bytes to send and to read. */
const LINE = /^\s*\d+: ([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4}) ([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4}) [0-9A-F]{2} ([0-9A-F]{8}):/;

/** How many bytes of each connection the system has still to send, or has sent without a confirmation. 0 for an unknown connection. */
export interface SendQueues {
  bytesOf(socket: Pick<Socket, "localAddress" | "localPort" | "remoteAddress" | "remotePort">): number;
}

/** Asks the system. Undefined: the first table cannot be read, as on a system other than Linux. */
export async function readSendQueues(): Promise<SendQueues | undefined> {
  const bytes = new Map<string, number>();
  for (const table of TABLES) {
    const text = await readFile(table, "latin1").catch(() => undefined);
    // A system without IPv6 has only the first table.
    if (text === undefined && table === TABLES[0]) return undefined;
    const lines = (text ?? "").split("\n");
    for (const [at, line] of lines.entries()) {
      if (at % LINES_A_STEP === LINES_A_STEP - 1) await nextTurn();
      const queue = queueIn(line);
      if (queue !== undefined) bytes.set(queue.key, queue.bytes);
    }
  }
  return {
    bytesOf: ({ localAddress, localPort, remoteAddress, remotePort }) =>
      bytes.get(keyOf([bareAddress(localAddress), localPort], [bareAddress(remoteAddress), remotePort])) ?? 0,
  };
}

/** Returns the connection of a line. Undefined: the line has no connection, or there is nothing to send. */
export function queueIn(line: string): { key: string; bytes: number } | undefined {
  const found = LINE.exec(line);
  if (found === null) return undefined;
  const [, ownAddress = "", ownPort = "", address = "", port = "", bytes = ""] = found;
  const queued = Number.parseInt(bytes, 16);
  if (queued === 0) return undefined;
  const key = keyOf([addressIn(ownAddress), Number.parseInt(ownPort, 16)], [addressIn(address), Number.parseInt(port, 16)]);
  return { key, bytes: queued };
}

type End = readonly [address: string | undefined, port: number | undefined];

/** Both ends belong to the key: a caller may use one of its ports for connections to several addresses of the server. */
function keyOf(own: End, caller: End): string {
  return [...own, ...caller].join(" ");
}

/** An address without its zone (`fe80::1%eth0`), which the tables do not name. */
function bareAddress(address: string | undefined): string | undefined {
  return plainAddress(address?.split("%", 1)[0]);
}

/** Reads an address: words of 32 bits, each in the byte order of the machine. */
function addressIn(hex: string): string | undefined {
  const bytes = Buffer.from(hex, "hex");
  if (endianness() === "LE") bytes.swap32();
  if (bytes.length === 4) return [...bytes].join(".");
  const groups = Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(at * 2).toString(16));
  // An IPv4 address in IPv6 begins with five zero groups and ffff.
  if (groups.slice(0, 6).join(":") === "0:0:0:0:0:ffff") return [...bytes.subarray(12)].join(".");
  return plainAddress(new URL(`http://[${groups.join(":")}]`).hostname);
}
