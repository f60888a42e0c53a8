import { createServer, connect as dial, type Server, type Socket } from "node:net";

/**
 * How a cut works. `silent`: nothing passes until the line is mended, and then everything arrives late. `broken`: every
 * connection breaks, and no new one is made.
 */
export type Cut = "silent" | "broken";

interface Pair {
  near: Socket;
  far: Socket | undefined;
}

/** A TCP line to one address that can be cut and mended. A cut concerns the present connections and new ones. */
export class CuttableLine {
  #target: { host: string; port: number };
  readonly #pairs = new Set<Pair>();
  readonly #server: Server;
  #cut: Cut | undefined;
  #port = 0;

  constructor(target: { host: string; port: number }) {
    this.#target = target;
    this.#server = createServer((near) => this.#accept(near));
  }

  /** The near end, on this machine. */
  get port(): number {
    return this.#port;
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, "127.0.0.1", resolve);
    });
    const place = this.#server.address();
    if (place === null || typeof place === "string") throw new Error("the line has no port");
    this.#port = place.port;
  }

  /** Leads to another address from now on. Present connections break. */
  lead(target: { host: string; port: number }): void {
    this.#target = target;
    for (const pair of this.#pairs) breakOff(pair);
  }

  cut(how: Cut): void {
    this.#cut = how;
    for (const pair of this.#pairs) {
      if (how === "broken") breakOff(pair);
      else for (const socket of [pair.near, pair.far]) socket?.pause();
    }
  }

  mend(): void {
    this.#cut = undefined;
    for (const pair of this.#pairs) {
      if (pair.far === undefined) this.#connect(pair);
      for (const socket of [pair.near, pair.far]) socket?.resume();
    }
  }

  close(): void {
    for (const pair of this.#pairs) breakOff(pair);
    this.#server.close();
  }

  #accept(near: Socket): void {
    const pair: Pair = { near, far: undefined };
    this.#pairs.add(pair);
    near.on("error", () => breakOff(pair));
    near.on("close", () => {
      breakOff(pair);
      this.#pairs.delete(pair);
    });
    near.pause();
    if (this.#cut === "broken") breakOff(pair);
    else if (this.#cut === undefined) this.#connect(pair);
  }

  #connect(pair: Pair): void {
    const { near } = pair;
    const far = dial(this.#target);
    pair.far = far;
    far.on("error", () => breakOff(pair));
    far.on("close", () => breakOff(pair));
    near.on("data", (bytes: Buffer) => void far.write(bytes));
    far.on("data", (bytes: Buffer) => void near.write(bytes));
    near.resume();
  }
}

function breakOff({ near, far }: Pair): void {
  near.destroy();
  far?.destroy();
}
