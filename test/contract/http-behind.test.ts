import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exchange, type Sample, sampleServer } from "../support/http-server.ts";

let sample: Sample;
beforeAll(async () => {
  sample = await sampleServer();
});
afterAll(() => sample.end());

const head = (framing: string) => `POST /sample/body HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`;
const CHUNKED = `${head("Transfer-Encoding: chunked")}2\r\n{}\r\n0\r\n\r\n`;
const MEASURED = `${head("Content-Length: 2")}{}`;
const CLOSING = `${head("Content-Length: 2\r\nConnection: close")}{}`;
const GET = "GET /sample/named/a HTTP/1.1\r\nHost: a\r\n\r\n";

/** Status lines of all answers, in their order. */
const statuses = (answer: string) => answer.match(/HTTP\/1\.1 \d{3}/g) ?? [];

const STRAY = [
  ["letters", "garbage"],
  ["a letter", "x"],
  ["a zero", "\0"],
  ["a second end of chunks", "0\r\n\r\n"],
  ["a line that is no request", "hello there\r\n\r\n"],
  ["a greeting of TLS", Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00]).toString("latin1")],
  ["a request with a wrong length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n"],
  ["headers without an end", `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(17_000)}`],
] as const;

describe.each([
  ["whose last chunk", CHUNKED],
  ["whose body of a known length", MEASURED],
  ["that is the last of its connection and", CLOSING],
  ["without a body that", GET],
])("a request %s is followed by bytes", (_what, request) => {
  it.each(STRAY)("that are %s is answered before the connection is closed", async (_name, stray) => {
    const answer = await exchange(sample.port, Buffer.from(request + stray, "latin1"));
    expect(statuses(answer)[0]).toBe("HTTP/1.1 200");
    expect(answer).toMatch(/"kind":"body"|"name":"a"/);
    expect(statuses(answer).slice(1)).toSatisfy((rest: string[]) => rest.length === 0 || /4\d\d$/.test(rest.join()));
  });

  it("that come later is answered first, and the bytes are refused", async () => {
    const socket = connect(sample.port, "127.0.0.1");
    let answer = "";
    socket.on("data", (chunk) => {
      if (answer === "") socket.write("garbage\r\n\r\n");
      answer += chunk.toString("latin1");
    });
    const closed = once(socket, "close");
    socket.write(request);
    await closed;
    expect(statuses(answer)[0]).toBe("HTTP/1.1 200");
  });

  it("that are another request is answered, and so is the other one", async () => {
    const answer = await exchange(sample.port, request + GET.replace("Host: a", "Host: a\r\nConnection: close"));
    const whole = request === CLOSING ? 1 : 2;
    expect(statuses(answer)).toEqual(Array.from({ length: whole }, () => "HTTP/1.1 200"));
  });

  it("that are line ends only is answered as if there were none", async () => {
    const answer = await exchange(sample.port, `${request}\r\n\r\n${GET.replace("Host: a", "Host: a\r\nConnection: close")}`);
    expect(statuses(answer)[0]).toBe("HTTP/1.1 200");
    if (request !== CLOSING) expect(statuses(answer)).toHaveLength(2);
  });
});

describe("a request that is broken off in its body", () => {
  it.each([
    ["by a wrong length of a chunk", `${head("Transfer-Encoding: chunked")}2\r\n{}\r\nxyz\r\n`],
    ["by a chunk that is longer than it says", `${head("Transfer-Encoding: chunked")}2\r\n{}xyz\r\n0\r\n\r\n`],
    ["by trailers that are none", `${head("Transfer-Encoding: chunked")}2\r\n{}\r\n0\r\nno trailer\r\n\r\n`],
    ["by an extension of a chunk without an end", `${head("Transfer-Encoding: chunked")}2;${"x".repeat(20_000)}`],
  ])("%s is told so", async (_how, bytes) => {
    const answer = await exchange(sample.port, bytes);
    expect(statuses(answer)).toSatisfy((all: string[]) => all.length === 1 && /^HTTP\/1\.1 4(00|13)$/.test(all.join()));
    expect(answer).toContain("Connection: close");
  });

  it("is not carried out, and neither is what it was sent behind left unanswered", async () => {
    const answer = await exchange(sample.port, `${CHUNKED}${head("Transfer-Encoding: chunked")}2\r\n{}\r\nxyz\r\n`);
    expect(statuses(answer)).toEqual(["HTTP/1.1 200", "HTTP/1.1 400"]);
  });
});

describe("a caller that ends its side of the connection", () => {
  it.each([
    ["behind a request", GET, 1],
    ["behind a body", MEASURED, 1],
    ["behind a last chunk", CHUNKED, 1],
    ["behind three requests", GET + CHUNKED + MEASURED, 3],
  ])("%s gets its answers", async (_where, bytes, answers) => {
    const socket = connect({ port: sample.port, host: "127.0.0.1", allowHalfOpen: true });
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk.toString("latin1");
    });
    socket.on("end", () => socket.destroy());
    const closed = once(socket, "close");
    socket.end(bytes);
    await closed;
    expect(statuses(answer)).toEqual(Array.from({ length: answers }, () => "HTTP/1.1 200"));
  });
});

it("a caller that has ended its side waits for an answer as long as any other", async () => {
  const { port, end, arrived, release } = await sampleServer();
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  let answer = "";
  socket.on("data", (chunk) => {
    answer += chunk.toString("latin1");
  });
  const ended = once(socket, "end");
  socket.end("GET /sample/slow HTTP/1.1\r\nHost: a\r\n\r\n");
  await arrived;
  await expect.poll(() => socket.writableFinished).toBe(true);
  setImmediate(release);
  await ended;
  socket.destroy();
  expect(answer).toContain('{"slow":true}');
  await end();
});

describe("requests that are sent all at once", () => {
  it("are answered one after the other, in their order, however many they are", async () => {
    const names = Array.from({ length: 300 }, (_, index) => `n${index}`);
    const all = names.map((name) => GET.replace("/a ", `/${name} `)).join("");
    const answer = await exchange(sample.port, all + GET.replace("Host: a", "Host: a\r\nConnection: close"));
    expect([...answer.matchAll(/"name":"([^"]+)"/g)].map(([, name]) => name)).toEqual([...names, "a"]);
  });

  it("are answered whole when they come byte by byte", async () => {
    const bytes = [...(GET + CHUNKED + MEASURED + GET.replace("Host: a", "Host: a\r\nConnection: close"))];
    expect(statuses(await exchange(sample.port, ...bytes))).toHaveLength(4);
  });

  it("are carried out one at a time", async () => {
    const { port, server, arrived, release } = await sampleServer();
    const answered = exchange(port, "GET /sample/slow HTTP/1.1\r\nHost: a\r\n\r\n".repeat(50));
    await arrived;
    expect(server.running).toBe(1);
    release();
    await server.close(1_000);
    expect(statuses(await answered).length).toBeGreaterThan(0);
  });
});
