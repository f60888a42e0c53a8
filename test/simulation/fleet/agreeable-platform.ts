import { createServer, type Server } from "node:http";

/**
 * A platform that accepts everything it is told and knows nothing, so that a solution can report that it is active. The test looks only at
 * the answers of the tills.
 */
export class AgreeablePlatform {
  readonly #server: Server = createServer((request, response) => {
    request.resume();
    response.writeHead(request.method === "GET" ? 404 : 200, { "Content-Type": "application/json" }).end("{}");
  });

  get base(): string {
    const place = this.#server.address();
    if (place === null || typeof place === "string") throw new Error("the platform does not listen");
    return `http://127.0.0.1:${place.port}`;
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, "127.0.0.1", resolve);
    });
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
