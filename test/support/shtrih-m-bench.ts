import type { Clock } from "../../src/kernel/clock.ts";
import type { Deadline } from "../../src/kernel/deadline.ts";
import type { ExchangeStep } from "../../src/model/device/exchange.ts";
import { guarded } from "../../src/registers/links/guarded.ts";
import type { Link } from "../../src/registers/links/link.ts";
import { ShtrihFront } from "../../src/registers/shtrih-m/device/front.ts";
import { PERSONALITIES, type PersonalityName } from "../../src/registers/shtrih-m/device/machine/personality.ts";
import { Printer } from "../../src/registers/shtrih-m/device/machine/printer.ts";
import { RegisterMemory } from "../../src/registers/shtrih-m/device/machine/register-memory.ts";
import { ShtrihRegister } from "../../src/registers/shtrih-m/register.ts";
import { Connection } from "../../src/registers/shtrih-m/session/connection.ts";
import type { LowLevelName } from "../../src/registers/shtrih-m/wire/protocol-finder.ts";
import { VirtualDevice } from "../../src/registers/virtual/device.ts";
import { MemoryDrive } from "../../src/registers/virtual/drive.ts";
import type { Seller } from "../../src/registers/virtual/registration.ts";
import { type MemoryLink, MemoryPort } from "./memory-link.ts";
import { type Bench, sameChance, ZONE } from "./register-bench.ts";

/** A driver and the byte-level device on one cable in memory. */
export interface ShtrihBench extends Bench {
  register: ShtrihRegister;
  front: ShtrihFront;
  port: MemoryPort;
  cable: Cable;
  /** The low level that the driver uses. */
  readonly protocol: LowLevelName | undefined;
  notes: { level: string; text: string }[];
}

export interface ShtrihBenchOptions {
  /** Called with each command that was exchanged. */
  exchanged?: (step: ExchangeStep) => void;
  /** Whether the driver's process may use the device now. In a cluster another process may have taken the device over. */
  maySend?: () => boolean;
  personality?: PersonalityName;
  ffd?: "1.05" | "1.2";
  seller?: Partial<Seller>;
  printMs?: number;
  print?: "paper" | "none";
  /** Gets the lines that the device prints. */
  paper?: string[];
  /** The low level of the driver. The default is 1.0. */
  protocol?: LowLevelName | "auto";
  /** The low level of the device. The default is the driver's. */
  device?: LowLevelName | "auto";
  /** Decides the numbers of register and drive. Devices whose documents come into one journal need different names. */
  name?: string;
  /** The memories of an earlier device. */
  drives?: { drive: MemoryDrive; register: MemoryDrive };
}

/** A byte-level device alone. A test connects it where it likes. */
export async function shtrihDevice(clock: Clock, options: ShtrihBenchOptions = {}): Promise<{ device: VirtualDevice; front: ShtrihFront }> {
  const { drives = { drive: new MemoryDrive(), register: new MemoryDrive() } } = options;
  const { memory } = await RegisterMemory.open(drives.register);
  const { device } = await VirtualDevice.open({
    name: options.name ?? "bench",
    storage: drives.drive,
    clock,
    chance: sameChance,
    zone: ZONE,
    faults: { clockOffsetMs: () => memory.clockOffsetMs ?? 0 },
    ...(options.ffd === undefined ? {} : { ffd: options.ffd }),
    ...(options.seller === undefined ? {} : { seller: options.seller }),
  });
  const front = new ShtrihFront({
    device,
    memory,
    printer: new Printer(clock, () => device.look().conditions.paperPresent),
    personality: PERSONALITIES[options.personality ?? "desktop"],
    clock,
    zone: ZONE,
    port: 128,
    printMs: options.printMs ?? 0,
    paper: (lines) => void options.paper?.push(...lines),
    protocol: options.device ?? options.protocol ?? "auto",
  });
  return { device, front };
}

/** A driver at the end of a link, as the catalogue makes it, but without the lock. */
export function shtrihDriver(clock: Clock, link: Link, { protocol = "1.0" }: Pick<ShtrihBenchOptions, "protocol"> = {}): ShtrihRegister {
  const passwords = { operator: 1, system: 30 };
  return new ShtrihRegister(new Connection({ link, clock, passwords, acknowledgeMs: 3_000, protocol, note() {} }), "paper");
}

export async function shtrihBench(clock: Clock, options: ShtrihBenchOptions = {}): Promise<ShtrihBench> {
  const { drives = { drive: new MemoryDrive(), register: new MemoryDrive() } } = options;
  const { device, front } = await shtrihDevice(clock, { ...options, drives });
  const port = new MemoryPort({ clock }, (far) => void front.serve(far));
  const cable = new Cable(port.link());
  const notes: ShtrihBench["notes"] = [];
  const connection = new Connection({
    link: options.maySend === undefined ? cable : guarded(cable, options.maySend),
    clock,
    passwords: { operator: 1, system: 30 },
    acknowledgeMs: 3_000,
    ...(options.protocol === undefined ? {} : { protocol: options.protocol }),
    note: (level, text) => notes.push({ level, text }),
    ...(options.exchanged === undefined ? {} : { exchanged: options.exchanged }),
    ...(options.maySend === undefined ? {} : { maySend: options.maySend }),
  });
  const register = new ShtrihRegister(connection, options.print ?? "paper");
  return {
    register,
    device,
    front,
    port,
    cable,
    notes,
    get protocol() {
      return connection.protocol;
    },
    seconds: false,
    async restart() {
      await register.close();
      await front.close();
      return shtrihBench(clock, { ...options, drives });
    },
  };
}

/** The driver's end of the cable. It counts the bytes, keeps the sent ones, and breaks when told to. */
export class Cable implements Link {
  readonly name = "memory";
  readonly #link: MemoryLink;
  #sent: Buffer[] = [];
  /** Counted when bytes are sent, because a long test has too many pieces to add up again and again. */
  #sentBytes = 0;
  #receivedBytes = 0;
  #cutAfter: { sent?: number; received?: number } = {};
  whenCut: () => void = () => {};

  constructor(link: MemoryLink) {
    this.#link = link;
  }

  /** The bytes that were sent since the last `reset`. */
  get sent(): Buffer {
    return Buffer.concat(this.#sent);
  }

  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  /** The number of bytes in both directions. */
  get carriedBytes(): number {
    return this.#sentBytes + this.#receivedBytes;
  }

  /** Begins to count anew. `cutAfter`: after so many bytes in that direction the cable breaks, once. */
  reset(cutAfter: { sent?: number; received?: number } = {}): void {
    this.#sent = [];
    this.#sentBytes = 0;
    this.#receivedBytes = 0;
    this.#cutAfter = cutAfter;
  }

  get isOpen(): boolean {
    return this.#link.isOpen;
  }

  open() {
    return this.#link.open();
  }

  async write(bytes: Uint8Array) {
    const room = (this.#cutAfter.sent ?? Number.POSITIVE_INFINITY) - this.#sentBytes;
    const gone = Buffer.from(bytes.subarray(0, Math.max(0, Math.min(room, bytes.length))));
    this.#sent.push(gone);
    this.#sentBytes += gone.length;
    if (gone.length === bytes.length) return this.#link.write(bytes);
    this.#cutAfter = {};
    if (gone.length > 0) await this.#link.write(gone);
    this.#cut();
    return { kind: "lost", reason: "кабель вынут", left: gone.length > 0 } as const;
  }

  drain(deadline: Deadline) {
    return this.#link.drain(deadline);
  }

  async read(deadline: Deadline) {
    const received = await this.#link.read(deadline);
    if (received.kind !== "bytes") return received;
    const room = (this.#cutAfter.received ?? Number.POSITIVE_INFINITY) - this.#receivedBytes;
    if (received.bytes.length < room) {
      this.#receivedBytes += received.bytes.length;
      return received;
    }
    this.#cutAfter = {};
    this.#receivedBytes += room;
    this.#cut();
    return room === 0
      ? ({ kind: "lost", reason: "кабель вынут" } as const)
      : { kind: "bytes" as const, bytes: received.bytes.subarray(0, room) };
  }

  close() {
    return this.#link.close();
  }

  #cut(): void {
    this.whenCut();
    this.#link.cut("кабель вынут");
  }
}
