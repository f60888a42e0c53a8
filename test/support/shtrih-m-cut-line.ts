import { connect, createServer, type Server, type Socket } from "node:net";
import type { TcpPlace } from "../../src/registers/links/tcp.ts";

/** Where the line breaks, once. */
export interface Cut {
  /** Single bytes of control and whole frames, both ways together, that have been carried. */
  after: number;
  /** `behind` the last of them, or `over` the next one, which its sender has sent and nobody gets. */
  where: "behind" | "over";
  /** Is the line back at once, or out until it is mended? */
  line: "back" | "out";
}

/**
 * A line of the test's own between a driver and a device's TCP port. It knows where a single byte and a frame
 * of protocol 1.0 end, and can be cut at each such place.
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

  /** `stir` is told of everything that happens on the line. */
  static async open(device: TcpPlace, stir: () => void): Promise<CutLine> {
    const line = new CutLine(device, stir);
    await line.mend();
    return line;
  }

  get place(): TcpPlace {
    return { host: "127.0.0.1", port: this.#port };
  }

  /** What was carried since `watch`: `> 05` from the driver, `< 15` from the device, of frames the code. */
  get carried(): readonly string[] {
    return this.#carried;
  }

  /** False once the cut that was ordered has been made. */
  get cutWaits(): boolean {
    return this.#cut !== undefined;
  }

  /** Counts anew, and breaks where it is told to. */
  watch(cut?: Cut): void {
    this.#carried = [];
    this.#cut = cut;
  }

  /** Takes connections, again after a cut for good. */
  async mend(): Promise<void> {
    this.#cut = undefined;
    if (this.#server !== undefined) return;
    const server = createServer((near) => this.#join(near));
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(this.#port, "127.0.0.1", resolve);
    });
    const address = server.address();
    if (typeof address === "object" && address !== null) this.#port = address.port;
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

  /** What was written goes out before the end, so that the other side certainly gets it. */
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
 * Cuts one way's bytes where a byte of control or a frame ends: `02 LEN DATA LRC` (reference 1.2), or
 * `8F LEN16 NUM16 DATA CRC16` with its bytes stuffed (reference 2.1).
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

/** Bytes of the unit that begins there; more than there are while it has not ended. */
function sizeOf(bytes: Buffer): number {
  if (bytes[0] === STX) return (bytes[1] ?? Number.POSITIVE_INFINITY) + 3;
  if (bytes[0] !== NUMBERED) return 1;
  const { plain, ends } = unstuffed(bytes);
  const [low, high] = plain;
  if (low === undefined || high === undefined) return Number.POSITIVE_INFINITY;
  return ends[2 + low + high * 256 + 2 - 1] ?? Number.POSITIVE_INFINITY;
}

/** A frame of 2.0 behind its marker, and where each of its bytes ends. */
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

/** The byte of control, or the code of the frame's command; `?` asks for the number, in 2.0. */
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
