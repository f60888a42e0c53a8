import { gzipSync } from "node:zlib";
import request from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MAX_BODY_BYTES } from "../../src/http/raw-body.ts";
import { exchange, type Sample, sampleServer } from "../support/http-server.ts";

let sample: Sample;
beforeAll(async () => {
  sample = await sampleServer();
});
afterAll(() => sample.end());

const post = (headers: Record<string, string>, body: string | Buffer) => {
  const call = request(sample.address)
    .post("/sample/body")
    .set(headers)
    .serialize((raw: unknown) => raw as string);
  return call.send(body as string);
};
const json = { "Content-Type": "application/json" };

describe("a request's body", () => {
  it("arrives as it was sent", async () => {
    expect((await post(json, '{"a": 1.10 }')).body).toEqual({ kind: "body", size: 12, text: '{"a": 1.10 }' });
  });

  it.each([
    "application/json; charset=utf-8",
    'application/json;charset="UTF-8"',
    "Application/JSON ; charset=utf8",
    "application/json; version=1",
  ])("is taken as %s", async (type) => {
    expect((await post({ "Content-Type": type }, "{}")).body).toMatchObject({ kind: "body" });
  });

  it.each([
    "text/plain",
    "application/json; charset=windows-1251",
    "application/jsonp",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
  ])("of type %j is named and not taken", async (type) => {
    expect((await post({ "Content-Type": type }, "{}")).body).toEqual({ kind: "wrong-type", found: type });
  });

  it("without a type is not taken", async () => {
    const answer = await exchange(sample.port, "POST /sample/body HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}");
    expect(answer).toContain('{"kind":"wrong-type","found":""}');
  });

  it("of one mebibyte is taken", async () => {
    expect((await post(json, Buffer.alloc(MAX_BODY_BYTES, " "))).body).toMatchObject({ kind: "body", size: MAX_BODY_BYTES });
  });

  it("of one mebibyte and one byte is too large, whatever its type", async () => {
    const body = Buffer.alloc(MAX_BODY_BYTES + 1, " ");
    expect((await post(json, body)).body).toEqual({ kind: "too-large" });
    expect((await post({ "Content-Type": "text/plain" }, body)).body).toEqual({ kind: "too-large" });
  });

  it("of eight mebibytes in chunks is read to its end and answered", async () => {
    const response = await fetch(`${sample.address}/sample/body`, {
      method: "POST",
      headers: json,
      body: new Blob(Array.from({ length: 8 }, () => "x".repeat(1024 * 1024))).stream(),
      duplex: "half",
    } as RequestInit);
    expect(await response.json()).toEqual({ kind: "too-large" });
  });

  it("in gzip arrives decoded", async () => {
    const headers = { ...json, "Content-Encoding": "gzip" };
    expect((await post(headers, gzipSync('{"a":1}'))).body).toMatchObject({ kind: "body", text: '{"a":1}' });
  });

  it("that is a gzip bomb is too large and costs little", async () => {
    // What gzip has made of a part may stand several times one behind another.
    const bomb = Buffer.concat(Array(14).fill(gzipSync(Buffer.alloc(64 * 1024 * 1024), { level: 9 })));
    expect(bomb.length).toBeLessThan(MAX_BODY_BYTES);
    const before = process.memoryUsage().rss;
    expect((await post({ ...json, "Content-Encoding": "gzip" }, bomb)).body).toEqual({ kind: "too-large" });
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024);
  });

  it.each([
    ["no gzip at all", Buffer.from("{}")],
    ["cut off", gzipSync('{"a":1}').subarray(0, 20)],
    ["of a wrong checksum", Buffer.concat([gzipSync('{"a":1}').subarray(0, -8), Buffer.alloc(8)])],
  ])("that says gzip and is %s is badly encoded", async (_what, bytes) => {
    expect((await post({ ...json, "Content-Encoding": "gzip" }, bytes)).body).toMatchObject({ kind: "bad-encoding" });
  });

  it("in a coding that is not taken is named", async () => {
    expect((await post({ ...json, "Content-Encoding": "br" }, "{}")).body).toEqual({ kind: "wrong-type", found: "Content-Encoding: br" });
  });

  it("that breaks off is nobody's to answer, and is logged as such", async () => {
    const head = "POST /sample/body HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n";
    const { connect } = await import("node:net");
    const socket = connect(sample.port, "127.0.0.1");
    socket.write(`${head}{"a":`);
    const logged = () =>
      sample.lines.some(({ text, values }) => text === "caller went away before the answer" && values.route === "POST /sample/body");
    setImmediate(() => socket.end());
    await expect.poll(logged).toBe(true);
  });
});

describe("a path", () => {
  it.each(["//sample//body", "/sample///body", "/sample/body/", "/sample/bodi"])("written %s leads to the same place", async (path) => {
    const response = await exchange(
      sample.port,
      `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
    );
    expect(response).toContain('"kind":"body"');
  });

  it("in absolute form keeps the slashes of its origin", async () => {
    const response = await exchange(
      sample.port,
      "GET http://shop.example//sample//named/x?y=//z HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    );
    expect(response).toContain('{"name":"x"}');
  });

  it("that a contract does not know is answered in the contract's words", async () => {
    const response = await request(sample.address).post("/sample/unknown").send("x");
    expect([response.status, response.body]).toEqual([404, { own: "unknown path" }]);
  });

  it("under another method is answered with the methods that exist", async () => {
    const response = await request(sample.address).delete("/sample/body");
    expect([response.status, response.headers.allow, response.body]).toEqual([405, "POST", { own: "wrong method" }]);
  });

  it("whose parameter is no UTF-8 is an unknown path", async () => {
    const response = await request(sample.address).get("/sample/named/%ff%fe");
    expect([response.status, response.body]).toEqual([404, { own: "unknown path" }]);
  });

  it("outside every contract is answered in the shape that all share", async () => {
    const response = await request(sample.address).get("/nowhere");
    expect(response.status).toBe(404);
    expect(response.body).toEqual({ errors: [{ error: "Not found", code: 404, error_message: "Такого адреса нет." }] });
  });
});

describe("an answer", () => {
  it.each(["/sample/half", "/page/half"])("that was begun by %s and cannot be ended closes its connection", async (path) => {
    const answer = await exchange(sample.port, `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    expect(answer).toContain("the first half");
    expect(answer).not.toMatch(/\r\n0\r\n/);
  });

  it("is JSON in UTF-8, protected, and says nothing of the software", async () => {
    const { headers } = await request(sample.address).get("/sample/named/a");
    expect(headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(headers["x-powered-by"]).toBeUndefined();
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
  });

  it("carries the platform's own name of the request, or one of ours", async () => {
    const named = await request(sample.address).get("/sample/named/a").set("X_Platform_RequestId", "ab-12");
    expect(named.headers["x-request-id"]).toBe("ab-12");
    const forged = await request(sample.address).get("/sample/named/a").set("X_Platform_RequestId", "ab 12{}");
    expect(forged.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("to a fault shows nothing of the inside", async () => {
    const response = await request(sample.address).put("/sample/broken");
    expect([response.status, response.body]).toEqual([500, { own: "fault" }]);
    expect(response.text).not.toContain("secret detail");
  });
});

describe("the access log", () => {
  it("has one line for a request: route, status, duration, request and what was noted, never the address as called", async () => {
    await request(sample.address)
      .post("/sample/body?token=hidden")
      .set({ ...json, X_Platform_RequestId: "line-1" })
      .send("{}");
    const lines = sample.lines.filter(({ values }) => values.requestId === "line-1");
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      level: "info",
      values: { route: "POST /sample/body", status: 200, outcome: "body", durationMs: expect.any(Number) },
    });
    expect(JSON.stringify(lines)).not.toContain("hidden");
  });

  it("gives the metrics the template of a route, so that their number is bounded", async () => {
    await request(sample.address).get("/sample/named/some-thing");
    await request(sample.address).get("/not/a/route/at/all");
    expect(sample.seen).toContainEqual(expect.objectContaining({ route: "GET /sample/named/:name", status: 200 }));
    expect(sample.seen).toContainEqual(expect.objectContaining({ route: "none", status: 404 }));
  });
});
