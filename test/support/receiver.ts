import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: unknown;
}

/** Listens for notifications and answers with the given statuses in turn. The last status stays, and 0 means no answer. */
export class Receiver {
  readonly url: string;
  readonly #received: Received[] = [];
  readonly #waiting: { count: number; resolve: (received: Received[]) => void }[] = [];
  readonly #close: () => Promise<void>;
  statuses: number[] = [204];

  private constructor(server: ReturnType<typeof createServer>) {
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`;
    server.on("request", (request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        this.#take({ path: request.url ?? "", headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString("utf8")) });
        const status = this.statuses.length > 1 ? (this.statuses.shift() ?? 204) : (this.statuses[0] ?? 204);
        if (status !== 0) response.writeHead(status).end();
      });
    });
    this.#close = () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      });
  }

  static open(): Promise<Receiver> {
    return new Promise((resolve) => {
      const server = createServer();
      server.listen(0, "127.0.0.1", () => resolve(new Receiver(server)));
    });
  }

  get received(): readonly Received[] {
    return this.#received;
  }

  /** Resolves when that many notifications have come since the start. */
  until(count: number): Promise<Received[]> {
    if (this.#received.length >= count) return Promise.resolve([...this.#received]);
    return new Promise((resolve) => this.#waiting.push({ count, resolve }));
  }

  close(): Promise<void> {
    return this.#close();
  }

  #take(received: Received): void {
    this.#received.push(received);
    for (const waiter of this.#waiting.splice(0)) {
      if (this.#received.length >= waiter.count) waiter.resolve([...this.#received]);
      else this.#waiting.push(waiter);
    }
  }
}
