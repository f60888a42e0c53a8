import type { Clock } from "../../src/kernel/clock.ts";
import type { Deadline } from "../../src/kernel/deadline.ts";
import { Inbox } from "../../src/registers/links/inbox.ts";
import type { Link, Opened, Received, Sent } from "../../src/registers/links/link.ts";

/** The bits of a byte on a serial line: start bit, eight bits, stop bit. */
const BITS_PER_BYTE = 10;

export interface MemoryOptions {
  clock: Clock;
  /** Sends the bytes at the pace of a line of that speed, in each direction. Undefined: they arrive at once. */
  baud?: number;
}

/** Two open ends of one cable in memory. Bytes that are written at one end are read at the other. */
export function memoryPair(options: MemoryOptions): [MemoryEnd, MemoryEnd] {
  const near = new MemoryEnd(options);
  const far = new MemoryEnd(options);
  near.join(far);
  far.join(near);
  return [near, far];
}

/** One end of a cable in memory. Once cut or closed it stays so, and a `MemoryPort` makes new ends. */
export class MemoryEnd implements Link {
  readonly name = "memory";
  readonly #clock: Clock;
  readonly #inbox: Inbox;
  readonly #msPerByte: number;
  #peer: MemoryEnd | undefined;
  #freeAtMs = 0;

  constructor({ clock, baud }: MemoryOptions) {
    this.#clock = clock;
    this.#inbox = new Inbox(clock);
    this.#msPerByte = baud === undefined ? 0 : (BITS_PER_BYTE * 1000) / baud;
  }

  /** Sets the other end. Must be called once, before anything is written. */
  join(peer: MemoryEnd): void {
    this.#peer = peer;
  }

  /** Takes bytes from the other end. When the buffer is full they are lost, as at a real port. */
  arrive(bytes: Uint8Array): void {
    this.#inbox.put(bytes);
  }

  get isOpen(): boolean {
    return this.#inbox.lost === undefined;
  }

  async open(): Promise<Opened> {
    return this.#inbox.lost === undefined ? { kind: "open" } : { kind: "shut", reason: this.#inbox.lost };
  }

  async write(bytes: Uint8Array): Promise<Sent> {
    if (this.#inbox.lost !== undefined) return { kind: "lost", reason: this.#inbox.lost, left: false };
    this.#carry(Buffer.from(bytes));
    return { kind: "sent" };
  }

  async drain(deadline: Deadline): Promise<Sent> {
    const busyMs = Math.min(this.#freeAtMs - this.#clock.monotonicMs(), deadline.remainingMs());
    if (busyMs > 0) await new Promise<void>((resolve) => void this.#clock.after(busyMs, resolve));
    return this.#inbox.lost === undefined ? { kind: "sent" } : { kind: "lost", reason: this.#inbox.lost, left: true };
  }

  read(deadline: Deadline): Promise<Received> {
    return this.#inbox.take(deadline);
  }

  /** Cuts the cable. Both ends notice it, but bytes that have arrived can still be read. */
  cut(reason: string): void {
    this.#inbox.end(reason);
    if (this.#peer?.isOpen === true) this.#peer.cut(reason);
  }

  async close(): Promise<void> {
    this.cut("соединение закрыто");
  }

  #carry(bytes: Buffer): void {
    const nowMs = this.#clock.monotonicMs();
    this.#freeAtMs = Math.max(this.#freeAtMs, nowMs) + bytes.length * this.#msPerByte;
    if (this.#freeAtMs <= nowMs) this.#peer?.arrive(bytes);
    else this.#clock.after(this.#freeAtMs - nowMs, () => this.#peer?.arrive(bytes));
  }
}

/** A device's socket in memory. Each opening of a `link` gives the device a new end, as a listening TCP port does. */
export class MemoryPort {
  readonly #options: MemoryOptions;
  readonly #accept: (far: Link) => void;
  #refusal: string | undefined;

  constructor(options: MemoryOptions, accept: (far: Link) => void) {
    this.#options = options;
    this.#accept = accept;
  }

  /** While a reason is set, no connection can be opened, because the cable is out or the device is off. */
  refuse(reason: string | undefined): void {
    this.#refusal = reason;
  }

  /** A link to this port, not open yet. */
  link(): MemoryLink {
    return new MemoryLink(() => {
      if (this.#refusal !== undefined) return { kind: "shut", reason: this.#refusal };
      const [near, far] = memoryPair(this.#options);
      this.#accept(far);
      return { kind: "open", end: near };
    });
  }
}

type Dialled = { kind: "open"; end: MemoryEnd } | { kind: "shut"; reason: string };

/** The driver's side of a `MemoryPort`. It may be opened again after a loss. */
export class MemoryLink implements Link {
  readonly name = "memory";
  readonly #dial: () => Dialled;
  #end: MemoryEnd | undefined;

  constructor(dial: () => Dialled) {
    this.#dial = dial;
  }

  get isOpen(): boolean {
    return this.#end?.isOpen ?? false;
  }

  async open(): Promise<Opened> {
    if (this.isOpen) return { kind: "open" };
    const dialled = this.#dial();
    if (dialled.kind === "open") this.#end = dialled.end;
    return dialled.kind === "open" ? { kind: "open" } : dialled;
  }

  async write(bytes: Uint8Array): Promise<Sent> {
    return this.#end?.write(bytes) ?? { kind: "lost", reason: NOT_OPENED, left: false };
  }

  async drain(deadline: Deadline): Promise<Sent> {
    return this.#end?.drain(deadline) ?? { kind: "lost", reason: NOT_OPENED, left: false };
  }

  async read(deadline: Deadline): Promise<Received> {
    return this.#end?.read(deadline) ?? { kind: "lost", reason: NOT_OPENED };
  }

  /** Pulls the cable out. Both ends notice it. */
  cut(reason: string): void {
    this.#end?.cut(reason);
  }

  async close(): Promise<void> {
    await this.#end?.close();
  }
}

const NOT_OPENED = "соединение не открыто";
