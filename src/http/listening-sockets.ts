import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";
import { Failure } from "../kernel/failure.ts";

/**
 * The number of listening sockets at one port. Each accepts one connection in a turn of the event loop. Callers may connect more often than
 * the event loop turns. With a single socket they fill the system's queue, and each later caller waits a second for its next try. With this
 * number the server accepts as many connections as one calling machine can open. With many more sockets, each turn of the event loop would
 * take longer than a step of a sale.
 */
const LISTENING_SOCKETS = 16;
/** Systems that distribute connections among the sockets of one port. Elsewhere one socket is opened. */
const SHARING: readonly NodeJS.Platform[] = ["linux"];

/** Opens an HTTP server's port on several listening sockets, and hands every connection to the server. */
export class ListeningSockets {
  readonly #main: Server;
  readonly #others: Server[];

  constructor(main: Server, { highWaterMark }: { highWaterMark: number }) {
    this.#main = main;
    const count = SHARING.includes(process.platform) ? LISTENING_SOCKETS - 1 : 0;
    this.#others = Array.from({ length: count }, () =>
      // The options with which Node's HTTP server opens its own socket.
      createServer({ allowHalfOpen: true, noDelay: true, highWaterMark }, (socket: Socket) => void main.emit("connection", socket)),
    );
  }

  /**
   * Opens the port and returns it. Port 0 takes a free port. Throws a `Failure` with the reason for the operator when the port cannot be
   * opened.
   */
  async open(host: string, port: number): Promise<{ host: string; port: number }> {
    try {
      return await this.#open(host, port);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      throw new Failure("cannot-listen", "dependency", `cannot listen on ${host}:${port}: ${problem}`, { cause: error });
    }
  }

  /** Accepts no more connections. Resolves when the open connections are closed. */
  async close(): Promise<void> {
    await Promise.all([this.#main, ...this.#others].map(closed));
  }

  async #open(host: string, port: number): Promise<{ host: string; port: number }> {
    if (this.#others.length === 0) return addressOf(await listening(this.#main, { host, port }));
    // A socket that shares its port opens even when another process shares the same port, such as a second start of this server. So a
    // socket that does not share is opened first: it fails when the port is taken.
    const first = createServer();
    const address = addressOf(await listening(first, { host, port }));
    await closed(first);
    try {
      for (const server of [this.#main, ...this.#others]) await listening(server, { ...address, reusePort: true });
    } catch (error) {
      await this.close();
      throw error;
    }
    return address;
  }
}

function listening(server: Server, options: { host: string; port: number; reusePort?: boolean }): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(options, () => {
      server.removeListener("error", reject);
      resolve(server);
    });
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

function addressOf(server: Server): { host: string; port: number } {
  const { address, port } = server.address() as AddressInfo;
  return { host: address, port };
}
