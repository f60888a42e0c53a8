import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { readRaw } from "../../../src/http/raw-body.ts";
import { HttpServer } from "../../../src/http/server.ts";
import { nextTurn } from "../../../src/kernel/clock.ts";
import { keptLog } from "../../support/http-server.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

/** So many connections are closed at once. The clock stands still, so no more become due. */
const AT_ONCE = 50;
const CALLERS = 60;
/** More turns than the server needs to close a connection after its answer. */
const TURNS = 50;
/** Longer than any refused connection stays open. */
const LONG_MS = 20_000;

const CHUNKED = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
const MIDWAY: readonly [string, string][] = [
  ["in the middle of a body", `${CHUNKED}zz\r\n`],
  ["in the trailers of a body", `${CHUNKED}2\r\n{}\r\n0\r\n${"a:b\r\n".repeat(4_000)}\r\n`],
  ["behind a whole request", `${CHUNKED}2\r\n{}\r\n0\r\n\r\nhello\r\n\r\n`],
];

it.each(MIDWAY)(
  "callers that are refused %s are closed as slowly as others, so that they do not all come again at once",
  async (_where, bytes) => {
    const clock = new VirtualClock(0);
    const server = new HttpServer({
      application: (request, response) =>
        void readRaw(request, { maxBytes: 1024 }).then(({ kind }) => (kind === "aborted" ? undefined : response.end("answered"))),
      log: keptLog().log,
      clock,
    });
    const { port } = await server.listen("127.0.0.1", 0);
    const callers: Socket[] = [];
    onTestFinished(async () => {
      for (const caller of callers) caller.destroy();
      const closed = server.close(0);
      await clock.advance(LONG_MS);
      await closed;
    });
    let [answered, ended] = [0, 0];
    for (let opened = 0; opened < CALLERS; opened += 1) {
      const caller = connect(port, "127.0.0.1").on("error", () => {});
      callers.push(caller);
      caller.once("data", () => {
        answered += 1;
      });
      caller.once("end", () => {
        ended += 1;
      });
      await once(caller, "connect");
      caller.write(bytes);
    }
    while (answered < CALLERS || ended < AT_ONCE) await nextTurn();
    for (let turns = 0; turns < TURNS; turns += 1) await nextTurn();
    expect(ended).toBe(AT_ONCE);
    for (let passedMs = 0; passedMs < LONG_MS; passedMs += 500) {
      await clock.advance(500);
      await nextTurn();
    }
    while (ended < CALLERS) await nextTurn();
  },
);
