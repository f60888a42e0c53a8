import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { FiscalDouble } from "./double-fiscal.ts";
import { LoyaltyDouble } from "./double-loyalty.ts";
import { type Incoming, objectIn, type Reply } from "./double-message.ts";
import { QrDouble } from "./double-qr.ts";
import { VendorDouble } from "./double-vendor.ts";

export type Handler = (request: Incoming) => Promise<Reply>;

/** A deviation from a right server: it may change the request or the answer of the right server, or answer by itself. */
export type Break = (request: Incoming, honest: Handler, double: Double) => Promise<Reply>;

/** The status of a reply that never comes. The connection is cut instead. */
export const HANG_UP = 0;

export const honestly: Break = (request, honest) => honest(request);

/** A small solution in memory with the vendor, fiscal, QR and loyalty contracts. It is right in everything that the rules examine. */
export class Double {
  readonly vendor = new VendorDouble();
  readonly fiscal: FiscalDouble;
  readonly qr = new QrDouble(this.vendor);
  readonly loyalty = new LoyaltyDouble(this.vendor);
  readonly #server: Server;
  readonly #break: Break;

  constructor(broken: Break = honestly, options: { sharedRegister?: boolean } = {}) {
    this.fiscal = new FiscalDouble(this.vendor, options.sharedRegister);
    this.#break = broken;
    this.#server = createServer((request, response) => {
      void this.#answer(request).then(({ status, type = "application/json; charset=utf-8", body }) => {
        if (status === HANG_UP) return void response.destroy();
        response.writeHead(status, body.length === 0 ? {} : { "content-type": type });
        response.end(body);
      });
    });
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, "127.0.0.1", resolve);
    });
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }

  async #answer(request: IncomingMessage): Promise<Reply> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
    const raw = Buffer.concat(chunks);
    const headers = request.headers as Record<string, string | undefined>;
    const body = headers["content-encoding"] === "gzip" ? gunzipSync(raw) : raw;
    const incoming: Incoming = { method: request.method ?? "", path: request.url ?? "", headers, raw, body };
    try {
      return await this.#break(incoming, (asked) => this.#honestly(asked), this);
    } catch (error) {
      return { status: 500, type: "text/plain", body: error instanceof Error ? (error.stack ?? "") : String(error) };
    }
  }

  async #honestly(request: Incoming): Promise<Reply> {
    const path = request.path.replace(/\/{2,}/g, "/");
    if (path.startsWith("/vendor/")) return this.#vendorCall({ ...request, path });
    if (path.startsWith("/fiscal/")) return this.fiscal.answer({ ...request, path });
    if (path.startsWith("/qr/")) return this.qr.answer({ ...request, path });
    if (path.startsWith("/loyalty/")) return this.loyalty.answer({ ...request, path });
    return { status: 404, body: "" };
  }

  /** The platform is told again where the programme is whenever an account installs. */
  #vendorCall(request: Incoming): Reply {
    const reply = this.vendor.answer(request);
    if (request.method === "PUT" && reply.status === 200 && objectIn(request.body).cause === "Install")
      void this.loyalty.connect(request.path.split("/").at(-1) ?? "");
    return reply;
  }
}
