import { createServer, type Server } from "node:http";
import { Failure } from "../../../kernel/failure.ts";
import { keySetOf, type QrKey } from "./qr-key.ts";

/** The platform's path for the QR token keys. */
export const KEYS_PATH = "/.well-known/jwks.json";

/** A local server for the platform's key address. It publishes the public keys. */
export class QrKeyAddress {
  readonly #server: Server;
  #keys: readonly QrKey[] = [];
  #reads = 0;

  constructor() {
    this.#server = createServer((request, response) => {
      request.resume();
      const isKeys = request.url === KEYS_PATH && request.method === "GET";
      if (isKeys) this.#reads += 1;
      response.writeHead(isKeys ? 200 : 404, { "content-type": "application/json; charset=utf-8" });
      response.end(JSON.stringify(isKeys ? keySetOf(this.#keys) : {}));
    });
  }

  /** Listens on this machine. Port 0 chooses a free port. Rejects if the port is unusable. */
  async open(port = 0): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, "127.0.0.1", resolve);
    });
  }

  /** The value for the solution's QR_JWKS_URL. */
  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string")
      throw new Failure("key-address-closed", "fault", "the key address is not listening");
    return `http://127.0.0.1:${address.port}${KEYS_PATH}`;
  }

  get reads(): number {
    return this.#reads;
  }

  publish(keys: readonly QrKey[]): void {
    this.#keys = keys;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
  }
}
