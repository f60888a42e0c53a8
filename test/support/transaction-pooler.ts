import { once } from "node:events";
import { createServer, connect as dial, type Server, type Socket } from "node:net";

/** The number with which a client asks for encryption, and the answer "no". */
const SSL_REQUEST = 80_877_103;
const READY = "Z";

/**
 * A pooler with transaction pooling: all clients share a few connections to PostgreSQL, and each transaction gets the connection that
 * became free last. Of the protocol it knows only where a transaction ends.
 */
export class TransactionPooler {
  readonly #server: Server;
  readonly #target: URL;
  readonly #free: Backend[] = [];
  readonly #sockets = new Set<Socket>();

  private constructor(target: URL) {
    this.#target = target;
    this.#server = createServer((client) => void this.#serve(client));
  }

  static async start(databaseUrl: string): Promise<TransactionPooler> {
    const pooler = new TransactionPooler(new URL(databaseUrl));
    pooler.#server.listen(0, "127.0.0.1");
    await once(pooler.#server, "listening");
    return pooler;
  }

  get url(): string {
    const place = this.#server.address();
    if (place === null || typeof place === "string") throw new Error("the pooler has no port");
    const url = new URL(this.#target);
    url.host = `127.0.0.1:${place.port}`;
    return url.href.replaceAll("+", "%20");
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  /** The first message of a client goes to a new connection, whose greeting is passed on unchanged. Later messages are pooled. */
  async #serve(client: Socket): Promise<void> {
    this.#sockets.add(client);
    client.on("error", () => client.destroy());
    let held: Backend | undefined;
    let started = false;
    client.on("data", (bytes: Buffer) => {
      if (bytes.length === 8 && bytes.readInt32BE(4) === SSL_REQUEST) {
        client.write("N");
        return;
      }
      // Without a free connection a new one is opened. A client that has just come gets its greeting.
      held ??= started ? this.#free.pop() : undefined;
      held ??= this.#open();
      started = true;
      held.serve(client, () => {
        if (held !== undefined) this.#free.push(held);
        held = undefined;
      });
      held.socket.write(bytes);
    });
  }

  #open(): Backend {
    const socket = dial({ host: this.#target.hostname, port: Number(this.#target.port || 5432) });
    this.#sockets.add(socket);
    socket.on("error", () => socket.destroy());
    return new Backend(socket);
  }
}

/** One connection to PostgreSQL. */
class Backend {
  readonly socket: Socket;
  #client: Socket | undefined;
  #free: () => void = () => {};
  #rest = Buffer.alloc(0);

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (bytes: Buffer) => this.#pass(bytes));
  }

  serve(client: Socket, free: () => void): void {
    this.#client = client;
    this.#free = free;
  }

  /** Passes whole messages on. ReadyForQuery outside a transaction ends the client's use of this connection. */
  #pass(bytes: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    while (this.#rest.length >= 5) {
      const length = 1 + this.#rest.readInt32BE(1);
      if (this.#rest.length < length) return;
      const message = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      const isOver = message.toString("latin1", 0, 1) === READY && message.toString("latin1", 5, 6) === "I";
      this.#client?.write(message);
      if (isOver) this.#free();
    }
  }
}
