import { onTestFinished } from "vitest";
import { Inbox } from "../../src/registers/links/inbox.ts";
import type { Link } from "../../src/registers/links/link.ts";
import type { ShtrihFront } from "../../src/registers/shtrih-m/device/front.ts";
import { type Fault, parseFault } from "../../src/registers/shtrih-m/device/machine/faults.ts";
import { openShtrihDevice, type ShtrihDeviceOptions } from "../../src/registers/shtrih-m/device/open.ts";
import { sameChance, ZONE } from "./registers.ts";
import { VirtualClock } from "./virtual-clock.ts";

/** 14 March 2026, 10:07 in Moscow: the clock of the vectors in shtrih-protocol 14. */
export const VECTOR_TIME_MS = Date.UTC(2026, 2, 14, 7, 7, 0);

/** The byte-level device alone, on a clock that the test moves, and hosts that send bytes. */
export class DeviceTrial {
  readonly clock: VirtualClock;
  readonly front: ShtrihFront;
  /** The lines that the device has printed. */
  readonly paper: string[];

  private constructor(clock: VirtualClock, front: ShtrihFront, paper: string[]) {
    this.clock = clock;
    this.front = front;
    this.paper = paper;
  }

  static async begin(options: Partial<Omit<ShtrihDeviceOptions, "clock" | "faults">> & { faults?: string[] } = {}): Promise<DeviceTrial> {
    const clock = new VirtualClock(VECTOR_TIME_MS);
    const paper: string[] = [];
    const { faults = [], ...more } = options;
    const { front, close } = await openShtrihDevice({
      clock,
      chance: sameChance,
      zone: ZONE,
      paper: (lines) => paper.push(...lines),
      faults: faults.map(faultOf),
      ...more,
    });
    onTestFinished(close);
    return new DeviceTrial(clock, front, paper);
  }

  /** Makes a new connection. */
  connect(): Host {
    const host = new Host(this.clock);
    void this.front.serve(host.link);
    return host;
  }

  fault(spec: string): void {
    this.front.addFault(faultOf(spec));
  }
}

function faultOf(spec: string): Fault {
  const parsed = parseFault(spec);
  if (parsed.kind === "invalid") throw new Error(parsed.problem);
  return parsed.fault;
}

/** One host at the other end of a cable. It writes bytes and keeps the received ones, write by write, in hexadecimal. */
export class Host {
  /** The device's end. */
  readonly link: Link;
  readonly #clock: VirtualClock;
  readonly #inbox: Inbox;
  #heard: string[] = [];

  constructor(clock: VirtualClock) {
    const inbox = new Inbox(clock);
    this.#clock = clock;
    this.#inbox = inbox;
    this.link = {
      name: "memory",
      get isOpen() {
        return inbox.lost === undefined;
      },
      open: async () => ({ kind: "open" }),
      write: async (bytes) => {
        this.#heard.push(hexOf(bytes));
        return { kind: "sent" };
      },
      drain: async () => ({ kind: "sent" }),
      read: (deadline) => inbox.take(deadline),
      close: async () => inbox.end("закрыто"),
    };
  }

  get isConnected(): boolean {
    return this.link.isOpen;
  }

  /** Writes the bytes and returns the pieces that the device sends without any time passing. */
  async say(hex: string): Promise<string[]> {
    this.#inbox.put(bytesOf(hex));
    return this.hear();
  }

  async hear(): Promise<string[]> {
    for (let turn = 0; turn < SETTLED_TURNS; turn += 1) await this.#clock.advance(0);
    const heard = this.#heard;
    this.#heard = [];
    return heard;
  }

  /** Sends a whole frame, acknowledges the answer, and returns it whole, without the acknowledgement before it. */
  async frame(hex: string): Promise<string> {
    const heard = (await this.say(hex)).join(" ");
    if (!heard.startsWith("06 02")) throw new Error(`no acknowledgement and answer to ${hex}: ${heard}`);
    await this.say("06");
    return heard.slice("06 ".length);
  }

  /** Sends the DATA of a command and returns the DATA of its answer. */
  async ask(hex: string): Promise<string> {
    return withoutFrame(await this.frame(framed(hex)));
  }

  /** Sends several commands in turn and returns the last answer. */
  async all(...commands: string[]): Promise<string> {
    let answer = "";
    for (const command of commands) answer = await this.ask(command);
    return answer;
  }

  async cut(): Promise<void> {
    this.#inbox.end("кабель вынут");
    await this.hear();
  }
}

/** In so many turns of the event loop all work that waits for nothing ends. */
const SETTLED_TURNS = 8;

/** A frame of protocol 1.0: 02, length, data, exclusive or of both (shtrih-protocol 1.2). */
export function framed(hex: string): string {
  const data = bytesOf(hex);
  const lrc = data.reduce((sum, byte) => sum ^ byte, data.length);
  return hexOf(Buffer.concat([Buffer.of(0x02, data.length), data, Buffer.of(lrc)]));
}

function withoutFrame(hex: string): string {
  return hexOf(bytesOf(hex).subarray(2, -1));
}

export function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.replaceAll(/\s/g, ""), "hex");
}

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).toUpperCase().padStart(2, "0")).join(" ");
}

/** Commands of the vectors in shtrih-protocol 14.1, without the frame. */
export const STATUS = "10 1E000000";
export const OPEN_SHIFT = "E0 1E000000";
export const CLOSE_SHIFT = "41 1E000000";
export const OPEN_SALE = "8D 01000000 00";
/** 1.5 × 99.90 = 149.85, "Кофе". */
export const COFFEE = "FF46 01000000 01 60E316000000 0627000000 893A000000 FFFFFFFFFF 01 00 04 01 CAEEF4E5";
/** 100.00 in cash, 49.85 electronic, general tax system. */
export const CLOSE_SALE = closing({ cash: 10_000, electronic: 4_985 });
export const CANCEL = "88 01000000";

/** FF45 with sums in kopecks. */
export function closing({ cash = 0, electronic = 0, rounding = 0, taxSystem = 1, password = 1 }): string {
  const head = Buffer.alloc(6 + 80 + 1 + 30 + 1);
  head.writeUInt16BE(0xff45, 0);
  head.writeUInt32LE(password, 2);
  head.writeUIntLE(cash, 6, 5);
  head.writeUIntLE(electronic, 11, 5);
  head[86] = rounding;
  head[117] = taxSystem;
  return hexOf(head);
}

/** Makes a whole sale of the vectors. The shift must be open. */
export function sell(host: Host): Promise<string> {
  return host.all(OPEN_SALE, COFFEE, CLOSE_SALE);
}
