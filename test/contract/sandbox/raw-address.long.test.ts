import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { gunzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { type TestSandbox, testSandbox } from "../../support/sandbox.ts";

// json-api 18 does not say what the platform does. Here an address with raw UTF-8 is answered as if it were encoded.

interface Raw {
  status: number;
  body: { rows?: { name: string }[]; errors?: { code: number }[] };
}

/** Sends the first chunk unchanged, and the next chunk after each answer. Waits for this many answers and closes the connection. */
async function ask(sandbox: TestSandbox, chunks: readonly Buffer[], answers: number): Promise<Raw[]> {
  const { hostname, port } = new URL(sandbox.base);
  const socket =
    sandbox.ca === undefined ? connect(Number(port), hostname) : connectTls({ host: hostname, port: Number(port), ca: sandbox.ca });
  let bytes = Buffer.alloc(0);
  const ended = Promise.withResolvers<void>();
  const found: Raw[] = [];
  socket.on("data", (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    for (;;) {
      const head = bytes.indexOf("\r\n\r\n");
      const length = Number(/content-length: (\d+)/i.exec(bytes.toString("latin1"))?.[1] ?? Number.NaN);
      if (head < 0 || !(bytes.length >= head + 4 + length)) return;
      const gzip = /content-encoding: gzip/i.test(bytes.subarray(0, head).toString("latin1"));
      const body = bytes.subarray(head + 4, head + 4 + length);
      found.push({
        status: Number(bytes.toString("latin1").slice(9, 12)),
        body: JSON.parse((gzip ? gunzipSync(body) : body).toString("utf8")),
      });
      bytes = bytes.subarray(head + 4 + length);
      if (found.length === answers) ended.resolve();
      else if (chunks[found.length] !== undefined) socket.write(chunks[found.length] ?? "");
    }
  });
  socket.once("close", () => ended.resolve());
  socket.once("error", ended.reject);
  socket.write(chunks[0] ?? "");
  await ended.promise;
  socket.destroy();
  return found;
}

function request(method: string, path: string, body = ""): Buffer {
  const head = [
    `${method} /api/remap/1.2/${path} HTTP/1.1`,
    "Host: sandbox",
    "Authorization: Bearer test-token",
    "Accept-Encoding: gzip",
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}

describe.each([true, false])("an address with raw UTF-8, over TLS: %s", (tls) => {
  const opened = async () => {
    const sandbox = await testSandbox({ tls });
    onTestFinished(() => sandbox.close());
    return sandbox;
  };

  it.each([
    ["entity/product?search=чай", 200],
    ["entity/product?filter=name~чай;code!=Ё&limit=1", 200],
    ["entity/product?order=имя", 412],
    ["entity/товар", 412],
    ["дорога", 404],
    ["entity/product/не-ид", 404],
    ["entity/product?search=чай%", 400],
  ])("gets JSON for %s", async (path, status) => {
    const [answer] = await ask(await opened(), [request("GET", path)], 1);
    expect(answer?.status).toBe(status);
    expect(answer?.body).toHaveProperty(status === 200 ? "rows" : "errors");
  });

  it("finds what the encoded one finds, and later requests of the connection go on, raw or not, with bodies too", async () => {
    const sandbox = await opened();
    const chunks = [
      request("GET", "entity/product?search=чай"),
      request("POST", "entity/product?expand=имя", '{"name":"Чай новый"}'),
      request("GET", "entity/product?limit=1"),
      request("GET", "entity/product?search=чай новый".replace(" ", "%20")),
    ];
    const answers = await ask(sandbox, chunks, chunks.length);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(answers[0]?.body.rows?.length).toBeGreaterThan(0);
    expect(answers[3]?.body.rows?.map(({ name }) => name)).toEqual(["Чай новый"]);
  });

  it("whose bytes are no UTF-8 is 400 with code 1058", async () => {
    const bytes = Buffer.from(request("GET", "entity/product?search=@").toString("latin1").replace("@", "\xd7\xe0"), "latin1");
    const [answer] = await ask(await opened(), [bytes], 1);
    expect([answer?.status, answer?.body.errors?.[0]?.code]).toEqual([400, 1058]);
  });
});
