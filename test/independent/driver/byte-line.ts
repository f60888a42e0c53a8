import { once } from "node:events";
import { connect, type Socket } from "node:net";

export class LinkClosed extends Error {}

/** Bytes of one TCP connection, one at a time, each awaited for a limited time. */
export class ByteLine {
  readonly #socket: Socket;
  readonly #bytes: number[] = [];
  #wake: (() => void) | undefined;
  #closed = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => {
      this.#bytes.push(...chunk);
      this.#wake?.();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.#closed = true;
      this.#wake?.();
    });
  }

  static async open(host: string, port: number, timeoutMs: number): Promise<ByteLine> {
    const socket = connect(port, host);
    await once(socket, "connect", { signal: AbortSignal.timeout(timeoutMs) });
    return new ByteLine(socket);
  }

  write(bytes: Uint8Array): void {
    if (this.#closed) throw new LinkClosed("the device closed the connection");
    this.#socket.write(bytes);
  }

  /** The next byte. Undefined: none came in time. */
  async byte(timeoutMs: number): Promise<number | undefined> {
    if (this.#bytes.length === 0 && !this.#closed) await this.#arrival(timeoutMs);
    const byte = this.#bytes.shift();
    if (byte === undefined && this.#closed) throw new LinkClosed("the device closed the connection");
    return byte;
  }

  async drain(silenceMs: number): Promise<void> {
    while ((await this.byte(silenceMs)) !== undefined);
  }

  close(): void {
    this.#socket.destroy();
  }

  #arrival(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      AbortSignal.timeout(Math.ceil(timeoutMs)).addEventListener("abort", () => resolve(), { once: true });
    });
  }
}
