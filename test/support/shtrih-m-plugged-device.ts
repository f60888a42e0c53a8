import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { systemClock } from "../../src/kernel/clock.ts";
import type { Link } from "../../src/registers/links/link.ts";
import { SerialLink } from "../../src/registers/links/serial.ts";
import type { ShtrihFront } from "../../src/registers/shtrih-m/device/front.ts";
import { MemoryDrive } from "../../src/registers/virtual/drive.ts";
import { type PtyPair, ptyPair, within } from "./links.ts";
import { DriveReader } from "./register-drive.ts";
import { shtrihDevice } from "./shtrih-m-bench.ts";

const BAUD = 115_200;

/** A byte-level device at the end of two joined pseudo-terminals, on the system's clock. Its cable can be pulled out and put back. */
export class PluggedDevice {
  readonly drive: DriveReader;
  readonly #front: ShtrihFront;
  #pair: PtyPair;
  #served: Promise<unknown> = Promise.resolve();
  /** The command at which the cable is pulled, once. */
  #pullAt: string | undefined;
  #begun = () => {};
  #pulled = () => {};

  private constructor(front: ShtrihFront, drive: DriveReader, pair: PtyPair) {
    this.#front = front;
    this.drive = drive;
    this.#pair = pair;
  }

  static async open(): Promise<PluggedDevice> {
    const drives = { drive: new MemoryDrive(), register: new MemoryDrive() };
    const { device, front } = await shtrihDevice(systemClock, { drives });
    const pair = await ptyPair();
    const plugged = new PluggedDevice(front, new DriveReader(drives.drive, device), pair);
    await plugged.#serve();
    onTestFinished(async () => {
      await plugged.#pullOut();
      await front.close();
      rmSync(pair.folder, { recursive: true });
    });
    return plugged;
  }

  /** The path that the driver opens. It exists while the cable is in and the device is ready. */
  get path(): string {
    return join(this.#pair.folder, "port");
  }

  /** Pulls the cable out when the command has come, before the answer, and calls `begun` then. Resolves when the cable is out. */
  pullAt(command: string, begun: () => void = () => {}): Promise<void> {
    this.#pullAt = command.toLowerCase();
    this.#begun = begun;
    return new Promise((resolve) => {
      this.#pulled = resolve;
    });
  }

  /** Puts the cable back under the same path. */
  async plugIn(): Promise<void> {
    await this.#served;
    this.#pair = await ptyPair(this.#pair.folder);
    await this.#serve();
  }

  async #serve(): Promise<void> {
    const far = new SerialLink({ path: this.#pair.far, baud: BAUD }, systemClock);
    const opened = await far.open(within());
    if (opened.kind !== "open") throw new Error(opened.reason);
    this.#served = this.#front.serve(this.#watched(far)).then(() => far.close());
    symlinkSync(this.#pair.near, this.path);
  }

  async #pullOut(): Promise<void> {
    rmSync(this.path, { force: true });
    await this.#pair.end();
  }

  #watched(far: Link): Link {
    return {
      name: far.name,
      get isOpen() {
        return far.isOpen;
      },
      open: (deadline) => far.open(deadline),
      write: (bytes, deadline) => far.write(bytes, deadline),
      drain: (deadline) => far.drain(deadline),
      read: async (deadline) => {
        const received = await far.read(deadline);
        if (received.kind === "bytes") await this.#look(received.bytes);
        return received;
      },
      close: () => far.close(),
    };
  }

  /** Here commands come one at a time, each in one piece. */
  async #look(bytes: Buffer): Promise<void> {
    if (this.#pullAt === undefined || !isCommand(bytes, this.#pullAt)) return;
    this.#pullAt = undefined;
    this.#begun();
    await this.#pullOut();
    this.#pulled();
  }
}

/**
 * The code is preceded by marker and length in protocol 1.0 (shtrih-protocol 1.2), and by marker, length and number in 2.0 (shtrih-protocol
 * 2.1).
 */
function isCommand(bytes: Buffer, code: string): boolean {
  const head = bytes[0] === 0x8f ? 5 : 2;
  return bytes.subarray(head).toString("hex").startsWith(code);
}
