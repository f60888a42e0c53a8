import { createPublicKey, verify } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { crc32, deflateRawSync } from "node:zlib";

export interface SolutionCall {
  method: string;
  path: string;
  text: string;
  body: Record<string, unknown>;
  /** Whether the signature proves the body. Undefined for calls that are not fiscal. */
  signed: boolean | undefined;
  authorization: string | undefined;
}

/** The answer to the next fiscal call: a status with errors, or none at all. Without an entry the document is registered. */
export type FakeAnswer = { status: number; code: number } | "silence";

/** A solution that registers nothing and remembers all calls. It is made only from the contract. */
export class FakeSolution {
  readonly calls: SolutionCall[] = [];
  /** Answers for the next calls. Each call takes one. When the list is empty, documents are registered. */
  readonly answers: FakeAnswer[] = [];
  vendorStatus = 200;
  /** Answers calls of the QR contract. Without this function they are answered 404. */
  qr:
    | ((path: string, body: Record<string, unknown>, authorization: string) => Promise<{ status: number; body: object } | "silence">)
    | undefined;
  #key: ReturnType<typeof createPublicKey> | undefined;
  #documents = 0;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    server.on("request", (request, response) => void this.#answer(request, response));
  }

  static open(): Promise<FakeSolution> {
    return new Promise((resolve) => {
      const server = createServer();
      server.listen(0, "127.0.0.1", () => resolve(new FakeSolution(server)));
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  fiscal(): SolutionCall[] {
    return this.calls.filter(({ path }) => path.startsWith("/fiscal/"));
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.closeAllConnections();
      this.#server.close(() => resolve());
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    const { method = "", url = "", headers } = request;
    const body = JSON.parse(bytes.toString("utf8") || "{}") as Record<string, unknown>;
    const signature = headers["x-platform-fiscal-signature"];
    const signed =
      typeof signature === "string" && this.#key !== undefined
        ? verify("RSA-SHA256", bytes, this.#key, Buffer.from(signature, "base64"))
        : undefined;
    this.calls.push({ method, path: url, text: bytes.toString("utf8"), body, signed, authorization: headers.authorization });
    if (url.startsWith("/fiscal/")) this.#answerFiscal(url, response);
    else if (url.startsWith("/qr/")) await this.#answerQr(url, body, headers.authorization ?? "", response);
    else this.#answerVendor(method, body, response);
  }

  #answerVendor(method: string, body: Record<string, unknown>, response: ServerResponse): void {
    const token = Reflect.get(Object(Reflect.get(Object(body.additional), "fiscalApi")), "token");
    if (typeof token === "string") this.#key = createPublicKey({ key: Buffer.from(token, "base64"), format: "der", type: "spki" });
    json(response, this.vendorStatus, method === "PUT" ? { status: "Activated" } : {});
  }

  async #answerQr(path: string, body: Record<string, unknown>, authorization: string, response: ServerResponse): Promise<void> {
    const answer = (await this.qr?.(path, body, authorization)) ?? { status: 404, body: {} };
    if (answer === "silence") response.destroy();
    else json(response, answer.status, answer.body);
  }

  #answerFiscal(path: string, response: ServerResponse): void {
    const next = this.answers.shift();
    if (next === "silence") {
      response.destroy();
      return;
    }
    if (next !== undefined) {
      json(response, next.status, { errors: [{ error: "Refused", code: next.code, error_message: "Нельзя" }] });
      return;
    }
    this.#documents += 1;
    json(response, 200, {
      fnNumber: "9999078900000001",
      kktRegNumber: "0000000001000001",
      fiscalDocNumber: String(this.#documents),
      fiscalDocSign: "1234567890",
      receipt: zipOf("receipt.pdf", Buffer.from("%PDF-1.3 fake")).toString("base64"),
      time: "2026-03-02 10:15:40",
      ...(path.endsWith("shift") ? { shiftNumber: "1" } : {}),
      ...(path.endsWith("closeshift") ? { chequesTotal: 1, fiscalDocsTotal: 3 } : {}),
    });
  }
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** A zip with one deflated entry, made from the description of the format. */
function zipOf(name: string, content: Buffer): Buffer {
  const packed = deflateRawSync(content);
  const crc = crc32(content);
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50, 0);
  for (const [value, at] of [
    [20, 4],
    [8, 8],
    [name.length, 26],
  ] as const)
    local.writeUInt16LE(value, at);
  for (const [value, at] of [
    [crc, 14],
    [packed.length, 18],
    [content.length, 22],
  ] as const)
    local.writeUInt32LE(value, at);
  const central = Buffer.alloc(46);
  central.writeUInt32LE(0x02014b50, 0);
  for (const [value, at] of [
    [20, 4],
    [20, 6],
    [8, 10],
    [name.length, 28],
  ] as const)
    central.writeUInt16LE(value, at);
  for (const [value, at] of [
    [crc, 16],
    [packed.length, 20],
    [content.length, 24],
  ] as const)
    central.writeUInt32LE(value, at);
  const head = Buffer.concat([local, Buffer.from(name), packed]);
  const directory = Buffer.concat([central, Buffer.from(name)]);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  for (const [value, at] of [
    [1, 8],
    [1, 10],
  ] as const)
    end.writeUInt16LE(value, at);
  for (const [value, at] of [
    [directory.length, 12],
    [head.length, 16],
  ] as const)
    end.writeUInt32LE(value, at);
  return Buffer.concat([head, directory, end]);
}
