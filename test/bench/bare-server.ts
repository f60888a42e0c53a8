import { createHash, createPublicKey, verify } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { nextTurn } from "../../src/kernel/clock.ts";
import { PLATFORM_NAMES } from "../../src/tools/sandbox/caller/names.ts";

/** The orders of the bare server. */
export interface BareWork {
  publicKey: string;
  /** The processor time of a sale, including its signature. */
  saleMs: number;
}

/** The length of a step. A server works on a sale in steps, and does other work between them. */
const STEP_MS = 1;
/** The longest body of a sale. Longer bodies are read and thrown away. */
const MOST_BYTES = 64 * 1024;
const ANSWER = Buffer.alloc(16 * 1024, "x");

const { publicKey, saleMs } = JSON.parse(process.argv[2] ?? "") as BareWork;
const key = createPublicKey({ key: Buffer.from(publicKey, "base64"), format: "der", type: "spki" });
const { signatureHeader } = PLATFORM_NAMES.canonical;

/**
 * Node's own server without anything else. A signed sale takes the processor time of a sale, and every other request gets a
 * fixed answer.
 */
const server = createServer(async (request, response) => {
  try {
    const body = await bodyOf(request);
    const signature = request.headers[signatureHeader.toLowerCase()];
    const isSigned = typeof signature === "string" && verify("RSA-SHA256", body, key, Buffer.from(signature, "base64"));
    if (isSigned) await work(body);
    response.end(isSigned ? ANSWER : "nothing");
  } catch {
    // The caller has closed the connection in the middle of its body.
    response.destroy();
  }
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= MOST_BYTES) chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function work(body: Buffer): Promise<void> {
  for (let doneMs = 0; doneMs < saleMs; doneMs += STEP_MS) {
    const before = process.cpuUsage();
    const isOver = () => {
      const { user, system } = process.cpuUsage(before);
      return user + system >= STEP_MS * 1000;
    };
    while (!isOver()) createHash("sha256").update(body).digest();
    await nextTurn();
  }
}
