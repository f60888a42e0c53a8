import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface BankRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

export interface BankReply {
  status: number;
  body: unknown;
}

/**
 * What goes wrong with one request. `before` and `busy`: the bank does nothing. `after`: it does the work first. A function changes the
 * bank's answer.
 */
export type BankFault =
  | "none"
  | "lost-before"
  | "lost-after"
  | "silent-after"
  | "error-after"
  | "page-after"
  | "half-after"
  | "long-after"
  | "busy"
  | ((honest: BankReply) => BankReply);

/** An HTTP server that plays a bank. The answers come from a function, and the faults of the next requests from a list. */
export class BankServer {
  readonly requests: BankRequest[] = [];
  faults: BankFault[] = [];
  /** The number of requests that the bank is reading or working on. */
  running = 0;
  connections = 0;
  readonly #server: Server;
  readonly #answer: (request: BankRequest) => BankReply;

  constructor(answer: (request: BankRequest) => BankReply) {
    this.#answer = answer;
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.on("connection", () => {
      this.connections += 1;
    });
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, "127.0.0.1", resolve);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }

  /** Paths of the requests in order, without queries. */
  paths(): string[] {
    return this.requests.map(({ path }) => path);
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    this.running += 1;
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(Buffer.from(chunk as Uint8Array));
      const text = Buffer.concat(chunks).toString("utf8");
      const url = new URL(incoming.url ?? "/", "http://bank");
      const request: BankRequest = {
        method: incoming.method ?? "",
        path: url.pathname,
        query: url.searchParams,
        headers: incoming.headers,
        body: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>),
      };
      this.requests.push(request);
      this.#reply(this.faults.shift() ?? "none", () => this.#answer(request), response);
    } finally {
      this.running -= 1;
    }
  }

  #reply(fault: BankFault, work: () => BankReply, response: ServerResponse): void {
    if (fault === "busy") send(response, 429, "{}");
    else if (fault === "lost-before") response.destroy();
    else this.#replyAfter(fault, work(), response);
  }

  #replyAfter(fault: Exclude<BankFault, "busy" | "lost-before">, honest: BankReply, response: ServerResponse): void {
    const { status, body } = typeof fault === "function" ? fault(honest) : honest;
    const text = JSON.stringify(body);
    if (fault === "lost-after") response.destroy();
    else if (fault === "error-after") send(response, 500, '{"type":"error","code":"internal_server_error"}');
    else if (fault === "page-after") send(response, 403, "<html><body>Forbidden</body></html>");
    else if (fault === "half-after") send(response, 200, text.slice(0, -10));
    else if (fault === "long-after") send(response, 200, `${text.slice(0, -1)},"filler":"${"x".repeat(600 * 1024)}"}`);
    else if (fault !== "silent-after") send(response, status, text);
  }
}

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(text);
}
