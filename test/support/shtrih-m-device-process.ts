import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createConnection } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { systemClock } from "../../src/kernel/clock.ts";
import { type Deadline, deadlineIn } from "../../src/kernel/deadline.ts";
import type { Link } from "../../src/registers/links/link.ts";
import { openWithin } from "../../src/registers/links/reopening.ts";
import { SerialLink } from "../../src/registers/links/serial.ts";
import { TcpLink } from "../../src/registers/links/tcp.ts";
import { startCommand } from "./running-command.ts";
import { bytesOf, framed, hexOf } from "./shtrih-m-device.ts";

const CLI = fileURLToPath(new URL("../../src/cli.ts", import.meta.url));

/** A device of `emulate shtrih-m` that is ready. */
export interface RunningDevice {
  address: string;
  control?: string;
  /** A new connection to the address. */
  connect(): Promise<ByteHost>;
  /** Sends one line to the control port and returns its answer. */
  order(order: Record<string, unknown>): Promise<Record<string, unknown>>;
}

/** A device in a process of its own. */
export interface DeviceProcess extends RunningDevice {
  process: ChildProcess;
  /** The lines of standard output so far. */
  out: string[];
  err(): string;
  /** Ends the process. Returns its exit code and how long the end took, in ms. */
  end(signal: "SIGTERM" | "SIGINT" | "SIGKILL"): Promise<{ code: number | null; tookMs: number }>;
}

/** Starts the device in this process, for tests of the device and not of the program. */
export async function deviceHere(...args: string[]): Promise<RunningDevice> {
  const running = await startCommand("emulate", "shtrih-m", ...args);
  onTestFinished(() => void running.end());
  return reached(running.ready);
}

/** Starts the device in a process of its own. */
export async function startDevice(...args: string[]): Promise<DeviceProcess> {
  const child = spawn(process.execPath, [CLI, "emulate", "shtrih-m", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const errors: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
  const out: string[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => out.push(line));
  await Promise.race([once(lines, "line"), once(child, "close")]);
  const err = () => Buffer.concat(errors).toString("utf8");
  const [first] = out;
  if (first === undefined) throw new Error(`the device did not start: ${err()}`);
  return {
    ...reached(first),
    process: child,
    out,
    err,
    async end(signal) {
      const startMs = systemClock.monotonicMs();
      const exit = once(child, "close");
      child.kill(signal);
      const [code] = (await exit) as [number | null];
      return { code, tookMs: systemClock.monotonicMs() - startMs };
    },
  };
}

/** Reads the address from the device's ready line. */
function reached(line: string): RunningDevice {
  const { address, control } = JSON.parse(line) as { address: string; control?: string };
  return {
    address,
    ...(control === undefined ? {} : { control }),
    connect: () => connect(address),
    order: (order) => send(control ?? "", order),
  };
}

async function connect(address: string): Promise<ByteHost> {
  const [, host = "", port] = /^shtrih-m\+tcp:\/\/([^:]+):(\d+)$/.exec(address) ?? [];
  const [, path = ""] = /^shtrih-m\+serial:([^?]+)/.exec(address) ?? [];
  const link =
    port === undefined ? new SerialLink({ path, baud: 115_200 }, systemClock) : new TcpLink({ host, port: Number(port) }, systemClock);
  // The system releases the lock of a port that was just closed only after a moment.
  const opened = await openWithin(link, { clock: systemClock, withinMs: 15_000, deadline: soon() });
  if (opened.kind !== "open") throw new Error(opened.reason);
  onTestFinished(() => link.close());
  return new ByteHost(link);
}

/** A host that speaks frames over a real link. DATA is hexadecimal. */
export class ByteHost {
  readonly link: Link;
  #bytes = Buffer.alloc(0);

  constructor(link: Link) {
    this.link = link;
  }

  /** Sends the DATA of a command, acknowledges the answer and returns its DATA. Undefined: the link was lost meanwhile. */
  async tryAsk(hex: string): Promise<string | undefined> {
    const sent = await this.link.write(bytesOf(framed(hex)), soon());
    if (sent.kind !== "sent") return undefined;
    const head = await this.#take(3);
    const rest = head === undefined ? undefined : await this.#take((head[2] ?? 0) + 1);
    if (head === undefined || rest === undefined) return undefined;
    if (hexOf(head.subarray(0, 2)) !== "06 02") throw new Error(`no answer to ${hex}: ${hexOf(head)}`);
    await this.link.write(Buffer.of(0x06), soon());
    return hexOf(rest.subarray(0, -1));
  }

  async ask(hex: string): Promise<string> {
    const answer = await this.tryAsk(hex);
    if (answer === undefined) throw new Error(`the link is lost at ${hex}`);
    return answer;
  }

  async #take(count: number): Promise<Buffer | undefined> {
    while (this.#bytes.length < count) {
      const received = await this.link.read(soon());
      if (received.kind === "silence") throw new Error("the device says nothing");
      if (received.kind === "lost") return undefined;
      this.#bytes = Buffer.concat([this.#bytes, received.bytes]);
    }
    const taken = this.#bytes.subarray(0, count);
    this.#bytes = this.#bytes.subarray(count);
    return taken;
  }
}

function soon(): Deadline {
  return deadlineIn(systemClock, 20_000);
}

async function send(control: string, order: Record<string, unknown>): Promise<Record<string, unknown>> {
  const [host = "", port] = control.split(":");
  const socket = createConnection({ host, port: Number(port) });
  socket.write(`${JSON.stringify(order)}\n`);
  const [line] = (await once(createInterface({ input: socket }), "line")) as [string];
  socket.destroy();
  return JSON.parse(line) as Record<string, unknown>;
}
