import { connect, createServer, type Socket } from "node:net";
import type { Clock } from "../../kernel/clock.ts";
import { type Deadline, waitUntil } from "../../kernel/deadline.ts";
import type { Link, Opened, Received, Sent } from "./link.ts";
import { SocketEnd, wordsOfSocket } from "./socket-end.ts";

export interface TcpPlace {
  host: string;
  port: number;
}

/** A connection to a device's TCP port. It can be reopened after a loss. */
export class TcpLink implements Link {
  readonly name: string;
  readonly #place: TcpPlace;
  readonly #clock: Clock;
  #end: SocketEnd | undefined;

  constructor(place: TcpPlace, clock: Clock) {
    this.name = nameOf(place);
    this.#place = place;
    this.#clock = clock;
  }

  /**
   * False also after a `read` that got no byte for a second, because the connection may be half open. `open` then makes a new connection.
   */
  get isOpen(): boolean {
    return this.#end?.isOpen === true && !this.#end.isDeaf;
  }

  async open(deadline: Deadline): Promise<Opened> {
    if (this.isOpen) return { kind: "open" };
    await this.close();
    const dialled = await dial(this.#place, this.#clock, deadline);
    if (dialled.kind === "failed") return { kind: "shut", reason: `${this.name}: ${dialled.reason}` };
    this.#end = new SocketEnd(this.name, dialled.socket, this.#clock);
    return { kind: "open" };
  }

  async write(bytes: Uint8Array, deadline: Deadline): Promise<Sent> {
    return this.#end?.write(bytes, deadline) ?? { kind: "lost", reason: NOT_OPENED, left: false };
  }

  async drain(): Promise<Sent> {
    return this.#end?.drain() ?? { kind: "lost", reason: NOT_OPENED, left: false };
  }

  async read(deadline: Deadline): Promise<Received> {
    return this.#end?.read(deadline) ?? { kind: "lost", reason: NOT_OPENED };
  }

  async close(): Promise<void> {
    await this.#end?.close();
  }
}

export interface TcpListener {
  /** The host and the opened port. The port is a free port if 0 was requested. */
  place: TcpPlace;
  /** Ends every connection and closes the port. */
  close(): Promise<void>;
}

/** Listens and passes every connection to `accept`. Rejects with the system's error when the port cannot be opened. */
export async function listenTcp({ host, port }: TcpPlace, clock: Clock, accept: (far: Link) => void): Promise<TcpListener> {
  const ends = new Set<SocketEnd>();
  const server = createServer((socket) => {
    const end = new SocketEnd(`tcp from ${socket.remoteAddress}:${socket.remotePort}`, socket, clock);
    ends.add(end);
    socket.once("close", () => ends.delete(end));
    accept(end);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const address = server.address();
  return {
    place: { host, port: typeof address === "object" && address !== null ? address.port : port },
    async close() {
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      for (const end of ends) await end.close();
      await closed;
    },
  };
}

/** Returns `tcp://HOST:PORT`, with an IPv6 address in brackets. */
export function nameOf({ host, port }: TcpPlace): string {
  return `tcp://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

type Dialled = { kind: "connected"; socket: Socket } | { kind: "failed"; reason: string };

async function dial({ host, port }: TcpPlace, clock: Clock, deadline: Deadline): Promise<Dialled> {
  const socket = connect({ host, port });
  const dialled = new Promise<Dialled>((resolve) => {
    socket.once("connect", () => resolve({ kind: "connected", socket }));
    socket.on("error", (error) => resolve({ kind: "failed", reason: wordsOfSocket(error) }));
  });
  const waited = await waitUntil(clock, deadline, dialled);
  if (waited.kind === "finished") return waited.value;
  socket.destroy();
  return { kind: "failed", reason: "касса не отвечает в сети" };
}

const NOT_OPENED = "соединение не открыто";
