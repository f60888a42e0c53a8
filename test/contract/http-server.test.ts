import { once } from "node:events";
import { Agent, get } from "node:http";
import { connect } from "node:net";
import request from "supertest";
import { afterAll, describe, expect, it } from "vitest";
import { HttpServer } from "../../src/http/server.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { exchange, type Sample, sampleServer } from "../support/http-server.ts";

const started: Sample[] = [];
async function start(options: Parameters<typeof sampleServer>[0] = {}): Promise<Sample> {
  const sample = await sampleServer(options);
  started.push(sample);
  return sample;
}
afterAll(async () => {
  for (const sample of started) sample.release();
  await Promise.all(started.map((each) => each.end()));
});

const statusOf = (answer: string) => answer.split("\r\n")[0];

describe("malformed HTTP", () => {
  it.each([
    ["no HTTP", "hello there\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    ["a TLS greeting", Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]), "HTTP/1.1 400 Bad Request"],
    ["a wrong length", "POST /sample/body HTTP/1.1\r\nHost: a\r\nContent-Length: ten\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    [
      "two lengths of a body",
      "POST /sample/body HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
      "HTTP/1.1 400 Bad Request",
    ],
    ["a header with a line break in its name", "GET /health HTTP/1.1\r\nHo st: a\r\n\r\n", "HTTP/1.1 400 Bad Request"],
    [
      "headers beyond the limit",
      `GET /health HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(17_000)}\r\n\r\n`,
      "HTTP/1.1 431 Request Header Fields Too Large",
    ],
  ])("that is %s is answered and the connection closed", async (_what, bytes, status) => {
    const { port, address } = await start();
    expect(statusOf(await exchange(port, bytes))).toBe(status);
    expect((await request(address).get("/health")).status).toBe(200);
  });

  it("gets a body of the shape that contracts share", async () => {
    const { port } = await start();
    expect(await exchange(port, "hello\r\n\r\n")).toMatch(/\r\n\r\n\{"errors":\[\{"error":"Bad Request","code":400\}\]\}$/);
  });
});

describe("a caller that dribbles", () => {
  it("its headers is answered 408 when their time is over", async () => {
    const { port } = await start({ headersTimeoutMs: 50, requestTimeoutMs: 60 });
    expect(statusOf(await exchange(port, "GET /health HTTP/1.1\r\nHost:"))).toBe("HTTP/1.1 408 Request Timeout");
  });

  it("its body is answered 408 when the request's time is over", async () => {
    const { port } = await start({ headersTimeoutMs: 50, requestTimeoutMs: 60 });
    const answer = await exchange(
      port,
      "POST /sample/body HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
    );
    expect(statusOf(answer)).toBe("HTTP/1.1 408 Request Timeout");
    expect(answer).toContain("Connection: close");
  });
});

describe("stopping", () => {
  it("lets a running request finish and then ends", async () => {
    const { server, address, arrived, release } = await start();
    const answer = fetch(`${address}/sample/slow`);
    await arrived;
    const closed = server.close(5_000);
    release();
    expect(await (await answer).json()).toEqual({ slow: true });
    await closed;
    await expect(fetch(`${address}/health`)).rejects.toThrow();
  });

  it("cuts off a request that outlasts the bound", async () => {
    const { server, address, arrived, lines } = await start();
    const answer = fetch(`${address}/sample/slow`).then(
      () => "answered",
      () => "cut off",
    );
    await arrived;
    await server.close(20);
    expect(await answer).toBe("cut off");
    expect(lines).toContainEqual(expect.objectContaining({ level: "warn", text: "requests cut off: they did not finish in time" }));
  });

  it("does not wait for connections that only stand open", async () => {
    const { server, port } = await start();
    const socket = connect(port, "127.0.0.1");
    const agent = new Agent({ keepAlive: true });
    await new Promise<void>((resolve) => {
      get({ port, path: "/health", agent }, (response) => response.resume().once("end", resolve));
    });
    const startedMs = systemClock.monotonicMs();
    await server.close(10_000);
    expect(systemClock.monotonicMs() - startedMs).toBeLessThan(5_000);
    socket.destroy();
    agent.destroy();
  });

  it("does not carry out what comes in behind a running request", async () => {
    const { server, port, arrived, release, seen } = await start();
    const socket = connect(port, "127.0.0.1");
    const ended = once(socket, "close");
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk.toString();
    });
    socket.write("GET /sample/slow HTTP/1.1\r\nHost: a\r\n\r\nPUT /sample/broken HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
    await arrived;
    const closed = server.close(5_000);
    release();
    await Promise.all([closed, ended]);
    expect(answer).toContain('{"slow":true}');
    expect(seen.map(({ route }) => route)).toEqual(["GET /sample/slow"]);
  });

  it("may be asked for twice", async () => {
    const { server } = await start();
    await Promise.all([server.close(1_000), server.close(1_000)]);
  });
});

describe("listening", () => {
  it("on a port that is taken fails with words for whoever starts the server", async () => {
    const { port } = await start();
    const second = new HttpServer({ application: () => {}, log: silentLog, clock: systemClock });
    await expect(second.listen("127.0.0.1", port)).rejects.toMatchObject({
      code: "cannot-listen",
      message: expect.stringContaining(`127.0.0.1:${port}`),
    });
  });
});

describe("probes", () => {
  it("say that the process lives, and what Prometheus asks for", async () => {
    const { address } = await start();
    expect((await request(address).get("/health")).body).toEqual({ status: "ok" });
    const metrics = await request(address).get("/metrics");
    expect([metrics.headers["content-type"], metrics.text]).toEqual(["text/plain", "numbers 1\n"]);
  });

  it("say ready when every check passes", async () => {
    const { address } = await start({ checks: [{ name: "database", check: async () => {} }] });
    const response = await request(address).get("/ready");
    expect([response.status, response.body]).toEqual([200, { status: "ready", checks: { database: "ok" } }]);
  });

  it("name the check that fails; the reason is in the log only", async () => {
    const checks = [
      { name: "database", check: () => Promise.reject(new Error("db.internal refused user fiscal")) },
      { name: "migrations", check: async () => {} },
    ];
    const { address, lines } = await start({ checks });
    const response = await request(address).get("/ready");
    expect([response.status, response.body]).toEqual([503, { status: "not ready", checks: { database: "failed", migrations: "ok" } }]);
    expect(lines).toContainEqual(
      expect.objectContaining({ text: "not ready", values: expect.objectContaining({ problem: "db.internal refused user fiscal" }) }),
    );
  });

  it("tell the caller what a check lets them know, and nothing else of it", async () => {
    const full = { name: "database", check: () => Promise.reject(new Error("/srv/data is full")), reasonFor: () => "no room" };
    const other = { name: "clock", check: () => Promise.reject(new Error("ntp.internal")), reasonFor: () => undefined };
    const { address } = await start({ checks: [full, other] });
    const response = await request(address).get("/ready");
    const checks = { database: "failed", clock: "failed" };
    expect([response.status, response.body]).toEqual([503, { status: "not ready", checks, reasons: { database: "no room" } }]);
  });

  it.each([
    "//health",
    "/health/",
    "///ready",
    "/ready/",
    "//metrics",
    "/metrics/",
    "/METRICS",
    "/%6detrics",
    "/./metrics",
    "/x/../metrics",
  ])("do not answer at %s, which a proxy that keeps them inside may not know", async (path) => {
    const { port } = await start();
    for (const target of [path, `http://server.example${path}`])
      expect([target, statusOf(await exchange(port, `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`))]).toEqual([
        target,
        "HTTP/1.1 404 Not Found",
      ]);
  });

  it("do not wait for a check that hangs", async () => {
    const { address, hurry } = await start({ checks: [{ name: "database", check: () => new Promise(() => {}) }] });
    hurry();
    expect((await request(address).get("/ready")).status).toBe(503);
  });
});
