import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One call of the server to its bank. */
export interface ProxiedCall {
  /** Counted from 1 since the proxy was opened. */
  number: number;
  method: string;
  path: string;
  body: string;
}

/**
 * What happens to a call. `lost-before`: it never reaches the bank. `lost-after`: the bank does the work, and the answer is lost. `page`
 * and `half`: the bank does the work, and an HTML page or half of its answer comes back. `answer`: the bank does the work, and the function
 * changes its answer.
 */
export type CallFate = "pass" | "lost-before" | "lost-after" | "page" | "half" | { answer: (body: string) => string };

/** A proxy between the server and a bank on this machine that decides what happens to each call. */
export class BankProxy {
  readonly calls: ProxiedCall[] = [];
  /** Called before the bank gets the call. It may take its time, and kill the server. */
  before: (call: ProxiedCall) => CallFate | Promise<CallFate> = () => "pass";
  /** Called when the bank has answered, before the server gets the answer. */
  after: (call: ProxiedCall) => void | Promise<void> = () => {};
  readonly #server: Server;
  readonly #bank: URL;

  constructor(bankBase: string) {
    this.#bank = new URL(bankBase);
    this.#server = createServer((request, response) => void this.#carry(request, response).catch(() => response.destroy()));
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, "127.0.0.1", resolve);
    });
  }

  /** The address that the server takes for the bank's. */
  get base(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${this.#bank.pathname}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }

  async #carry(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
    const body = Buffer.concat(chunks);
    const { method = "GET", url = "/", headers } = request;
    const call = { number: this.calls.length + 1, method, path: url, body: body.toString("utf8") };
    this.calls.push(call);
    const fate = await this.before(call);
    if (fate === "lost-before") return void response.destroy();
    const { host: _, connection: __, "content-length": ___, "transfer-encoding": ____, ...rest } = headers;
    const answer = await fetch(new URL(url, this.#bank.origin), {
      method,
      headers: Object.entries(rest).map(([name, value]): [string, string] => [name, String(value)]),
      ...(method === "GET" ? {} : { body }),
    });
    const text = await answer.text();
    await this.after(call);
    if (fate === "lost-after") return void response.destroy();
    const type = { "content-type": fate === "page" ? "text/html" : "application/json" };
    response.writeHead(answer.status, type).end(answered(fate, text));
  }
}

function answered(fate: CallFate, text: string): string {
  if (typeof fate === "object") return fate.answer(text);
  if (fate === "page") return "<html><body>Технические работы</body></html>";
  return fate === "half" ? text.slice(0, Math.floor(text.length / 2)) : text;
}
