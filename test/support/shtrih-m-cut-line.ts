import { connect, createServer, type Server, type Socket } from "node:net";
import type { TcpPlace } from "../../src/registers/links/tcp.ts";
import { freePort } from "../../src/tools/demo/processes/free-port.ts";

/** A place at which the line breaks, once. */
export interface Cut {
  /** After how many single control bytes and whole frames of both directions. */
  after: number;
  /** `behind`: after the last counted byte or frame. `over`: during the next one, which is sent and does not arrive. */
  where: "behind" | "over";
  /** Whether the line is back at once, or out until it is mended. */
  line: "back" | "out";
}

/**
 * A line between a driver and a device's TCP port. It knows where a control byte and a frame of protocol 1.0 or 2.0 end, and can be cut at
 * each such place.
 */
export class CutLine {
  readonly #device: TcpPlace;
  readonly #stir: () => void;
  #server: Server | undefined;
  #port = 0;
  #carried: string[] = [];
  #cut: Cut | undefined;
  readonly #ends = new Set<Socket>();

  private constructor(device: TcpPlace, stir: () => void) {
    this.#device = device;
    this.#stir = stir;
  }

  /** `stir` is called for everything that happens on the line. */
  static async open(device: TcpPlace, stir: () => void): Promise<CutLine> {
    const line = new CutLine(device, stir);
    await line.mend();
    return line;
  }

  get place(): TcpPlace {
    return { host: "127.0.0.1", port: this.#port };
  }

  /** What was carried since `watch`: `> 05` from the driver, `< 15` from the device. A frame is shown by the code of its command. */
  get carried(): readonly string[] {
    return this.#carried;
  }

  /** Whether the ordered cut has not been made yet. */
  get cutWaits(): boolean {
    return this.#cut !== undefined;
  }

  /** Begins to count anew, and breaks at the ordered place. */
  watch(cut?: Cut): void {
    this.#carried = [];
    this.#cut = cut;
  }

  /** Accepts connections again after a cut that stays. */
  async mend(): Promise<void> {
    this.#cut = undefined;
    if (this.#server !== undefined) return;
    const server = createServer((near) => this.#join(near));
    this.#server = server;
    this.#port ||= await freePort();
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(this.#port, "127.0.0.1", resolve);
    });
  }

  async close(): Promise<void> {
    this.#hangUp();
    const server = this.#server;
    this.#server = undefined;
    if (server !== undefined) await new Promise((resolve) => server.close(resolve));
  }

  #join(near: Socket): void {
    const far = connect(this.#device);
    const pair: Pair = { near, far, cut: false };
    for (const [from, to, arrow] of [
      [near, far, ">"],
      [far, near, "<"],
    ] as const) {
      const units = new Units();
      this.#ends.add(from);
      from.setNoDelay(true);
      from.on("data", (bytes) => {
        this.#stir();
        for (const unit of units.push(bytes)) this.#carry(unit, pair, to, arrow);
      });
      from.on("error", this.#stir);
      from.on("end", () => to.end());
      from.on("close", () => {
        this.#stir();
        this.#ends.delete(from);
        to.end();
      });
    }
  }

  #carry(unit: Buffer, pair: Pair, to: Socket, arrow: string): void {
    if (pair.cut) return;
    if (this.#cut?.where === "over" && this.#cut.after === this.#carried.length) {
      this.#break(pair);
      return;
    }
    to.write(unit);
    this.#carried.push(`${arrow} ${nameOf(unit)}`);
    if (this.#cut?.where === "behind" && this.#cut.after === this.#carried.length) this.#break(pair);
  }

  /** Bytes that were written are sent before the end, so that the other side certainly gets them. */
  #break(pair: Pair): void {
    pair.cut = true;
    if (this.#cut?.line === "out") {
      this.#server?.close();
      this.#server = undefined;
    }
    this.#cut = undefined;
    pair.near.end();
    pair.far.end();
  }

  #hangUp(): void {
    for (const end of this.#ends) end.destroy();
  }
}

interface Pair {
  near: Socket;
  far: Socket;
  cut: boolean;
}

const STX = 0x02;
const EXTENDED = 0xff;
const NUMBERED = 0x8f;
const ESCAPE = 0x9f;

/**
 * Splits the bytes of one direction into units, which are a control byte or a frame: `02 LEN DATA LRC` (shtrih-protocol 1.2), or `8F LEN16
 * NUM16 DATA CRC16` with its bytes stuffed (shtrih-protocol 2.1).
 */
class Units {
  #rest = Buffer.alloc(0);

  push(bytes: Uint8Array): Buffer[] {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const units: Buffer[] = [];
    for (;;) {
      const size = sizeOf(this.#rest);
      if (this.#rest.length < size) return units;
      units.push(this.#rest.subarray(0, size));
      this.#rest = this.#rest.subarray(size);
    }
  }
}

/** The number of bytes of the unit at the beginning. It is larger than the number of bytes while the unit is incomplete. */
function sizeOf(bytes: Buffer): number {
  if (bytes[0] === STX) return (bytes[1] ?? Number.POSITIVE_INFINITY) + 3;
  if (bytes[0] !== NUMBERED) return 1;
  const { plain, ends } = unstuffed(bytes);
  const [low, high] = plain;
  if (low === undefined || high === undefined) return Number.POSITIVE_INFINITY;
  return ends[2 + low + high * 256 + 2 - 1] ?? Number.POSITIVE_INFINITY;
}

/** The bytes of a frame of 2.0 after its marker, without stuffing, and the place where each of them ends. */
function unstuffed(bytes: Buffer): { plain: number[]; ends: number[] } {
  const plain: number[] = [];
  const ends: number[] = [];
  for (let at = 1; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === ESCAPE) at += 1;
    plain.push(byte === ESCAPE ? (bytes[at] === 0x81 ? NUMBERED : ESCAPE) : byte);
    ends.push(at + 1);
  }
  return { plain, ends };
}

/** The control byte, or the code of the frame's command. In 2.0, `?` is the frame that asks for the number. */
function nameOf(unit: Buffer): string {
  const [first] = unit;
  if (unit.length === 1) return unit.toString("hex").toUpperCase();
  const data = first === NUMBERED ? Buffer.from(unstuffed(unit).plain).subarray(4, -2) : unit.subarray(2, -1);
  return (
    data
      .subarray(0, data[0] === EXTENDED ? 2 : 1)
      .toString("hex")
      .toUpperCase() || "?"
  );
}
