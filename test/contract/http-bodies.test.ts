import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MAX_STRANGERS, SMALL_BODY_BYTES } from "../../src/http/body-budget.ts";
import { MAX_BODY_BYTES } from "../../src/http/raw-body.ts";
import { nextTurn } from "../../src/kernel/clock.ts";
import { EXTENT } from "../support/extent.ts";
import { exchange, type Sample, sampleServer } from "../support/http-server.ts";

let sample: Sample;
beforeEach(async () => {
  sample = await sampleServer();
});
afterEach(() => sample.end());

const CHUNK_BYTES = 100_000;
/** Closes the connection after the answer, so that a test need not wait until the server does. */
const NEXT = "GET /sample/named/next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

const head = (framing: string) => `POST /sample/body HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`;
const letters = (count: number) => "a".repeat(count);

/** Ways to state where a body ends. In those with chunks and no trailer the last chunk can be left out. */
const FRAMINGS: readonly [string, (body: string, end?: string) => string][] = [
  ["by its length", (body) => head(`Content-Length: ${body.length}`) + body],
  ["by one chunk", (body, end = END) => `${head("Transfer-Encoding: chunked")}${chunk(body)}${end}`],
  [
    "by many chunks",
    (body, end = END) =>
      `${head("Transfer-Encoding: chunked")}${pieces(body)
        .map((piece) => chunk(piece))
        .join("")}${end}`,
  ],
  ["by a chunk with an extension", (body, end = END) => `${head("Transfer-Encoding: chunked")}${chunk(body, ";a=b")}${end}`],
  ["by chunks and a trailer", (body) => `${head("Transfer-Encoding: chunked")}${chunk(body)}0\r\nX-Sum: 1\r\n\r\n`],
];
const END = "0\r\n\r\n";

function chunk(text: string, extension = ""): string {
  return `${text.length.toString(16)}${extension}\r\n${text}\r\n`;
}

function pieces(text: string): string[] {
  return text.match(new RegExp(`.{1,${CHUNK_BYTES}}`, "g")) ?? [];
}

/** The status and body of each answer, in their order. */
function answersIn(text: string): [number, unknown][] {
  return text
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((answer) => answer !== "")
    .map((answer) => [Number(answer.slice(9, 12)), JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4))]);
}

const whole = (size: number) => [200, { kind: "body", size, text: letters(Math.min(size, 100)) }];
const next = [200, { name: "next" }];

describe.each(FRAMINGS)("a body that ends %s", (_how, framed) => {
  it.each([
    ["one byte", 1],
    ["a byte less than the limit", MAX_BODY_BYTES - 1],
    ["exactly the limit", MAX_BODY_BYTES],
  ])("and has %s is read whole, and the connection goes on", async (_size, size) => {
    const answer = await exchange(sample.port, framed(letters(size)), NEXT);
    expect(answersIn(answer)).toEqual([whole(size), next]);
  });

  it.each([
    ["a byte more than the limit", MAX_BODY_BYTES + 1],
    ["twice the limit", 2 * MAX_BODY_BYTES],
  ])("and has %s is refused once it is sent, and the connection goes on", async (_size, size) => {
    const answer = await exchange(sample.port, framed(letters(size)), NEXT);
    expect(answersIn(answer)).toEqual([[200, { kind: "too-large" }], next]);
  });

  it("and has far more than the limit is refused while it is sent, and the connection ends", async () => {
    const answer = await exchange(sample.port, framed(letters(12 * MAX_BODY_BYTES)), NEXT);
    expect(answersIn(answer)).toEqual([[200, { kind: "too-large" }]]);
    expect(answer).toContain("Connection: close");
  });

  it.each([
    ["letters", "garbage\r\n\r\n"],
    ["a greeting of TLS", "\x16\x03\x01\x02\x00"],
    ["another end of chunks", END],
  ])("and has the limit is answered before the %s behind it end the connection", async (_what, stray) => {
    const answer = await exchange(sample.port, framed(letters(MAX_BODY_BYTES)) + stray + NEXT);
    const [first, ...others] = answersIn(answer);
    expect(first).toEqual(whole(MAX_BODY_BYTES));
    expect(others.map(([status]) => status)).toEqual(others.length === 0 ? [] : [400]);
  });
});

describe("a body that says nothing of its end", () => {
  it("is none, and what follows is the next request", async () => {
    const answer = await exchange(sample.port, `POST /sample/body HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n\r\n${NEXT}`);
    expect(answersIn(answer)).toEqual([[200, { kind: "body", size: 0, text: "" }], next]);
  });

  it.each([
    ["both ways at once", "Content-Length: 2\r\nTransfer-Encoding: chunked"],
    ["by two lengths", "Content-Length: 2\r\nContent-Length: 3"],
    ["by a length that is none", "Content-Length: two"],
    ["by a negative length", "Content-Length: -1"],
    ["by a coding that is not the last", "Transfer-Encoding: chunked, gzip"],
  ])("or says it %s is refused, and the connection ends", async (_how, framing) => {
    const answer = await exchange(sample.port, `${head(framing)}{}${NEXT}`);
    expect(answersIn(answer).map(([status]) => status)).toEqual([400]);
  });
});

describe("a body that is broken off", () => {
  it.each(FRAMINGS)("before its end (%s) gets no answer, and holds nothing", async (_how, framed) => {
    const request = framed(letters(MAX_BODY_BYTES), "");
    const cut = Buffer.from(request).subarray(0, request.length - 20);
    const socket = connect(sample.port, "127.0.0.1");
    let answer = "";
    socket.on("data", (data) => {
      answer += data.toString();
    });
    socket.end(cut);
    await once(socket, "close");
    expect(answer).toBe("");
    expect(sample.server.heldBytes).toEqual({ unread: 0, bodies: 0, unsent: 0 });
  });
});

describe("more half bodies than there are places for strangers", () => {
  const HALF = `${head("Content-Length: 10")}12345`;

  /** Sends half of a body on a connection that stays open. */
  async function begin(): Promise<{ answer: Promise<string>; goOn(): void; answered: () => boolean }> {
    const socket = connect(sample.port, "127.0.0.1");
    sockets.push(socket);
    await once(socket, "connect");
    let text = "";
    const answer = once(socket, "data").then(([chunk]) => (text = String(chunk)));
    socket.write(HALF);
    return { answer, goOn: () => void socket.write("67890"), answered: () => text !== "" };
  }

  const sockets: ReturnType<typeof connect>[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  it("are answered that the server is busy, the oldest first, and the others are read to their end", async () => {
    const more = 20;
    const begun: Awaited<ReturnType<typeof begin>>[] = [];
    for (let bodies = 0; bodies < MAX_STRANGERS + more; bodies += 1) begun.push(await begin());
    const refused = await Promise.all(begun.slice(0, more).map(({ answer }) => answer));
    for (const text of refused) {
      expect(answersIn(text)).toEqual([[200, { kind: "crowded" }]]);
      expect(text).toContain("Connection: close");
    }
    expect(begun.slice(more).filter(({ answered }) => answered())).toEqual([]);
    for (const { goOn } of begun.slice(more)) goOn();
    const read = await Promise.all(begun.slice(more).map(({ answer }) => answer));
    for (const text of read) expect(answersIn(text)[0]).toEqual(whole10);
  });

  it.runIf(EXTENT === "long")(
    "leave nothing behind of those that were refused, also of those whose connections are closed later",
    async () => {
      for (let bodies = 0; bodies < MAX_STRANGERS + 100; bodies += 1) await begin();
      const { server } = sample;
      while (server.running > MAX_STRANGERS) await nextTurn();
      expect(server.heldBytes.bodies).toBeLessThanOrEqual(MAX_STRANGERS * SMALL_BODY_BYTES);
      for (const socket of sockets) socket.destroy();
      while (server.openConnections > 0 || server.running > 0) await nextTurn();
      expect(server.heldBytes).toEqual({ unread: 0, bodies: 0, unsent: 0 });
    },
  );
});

const whole10 = [200, { kind: "body", size: 10, text: "1234567890" }];
