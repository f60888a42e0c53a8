import { connect } from "node:net";
import { getHeapSpaceStatistics } from "node:v8";
import { answerProblem } from "../../src/http/answer.ts";
import { readRaw } from "../../src/http/raw-body.ts";
import { HttpServer } from "../../src/http/server.ts";
import { nextTurn, systemClock } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";

const SMALL_BODY = JSON.stringify({ name: "x".repeat(500) });
const CONNECTIONS = 30;
const REQUESTS = 12_000;
/** The number of objects that stand for the work of a request and live as long as the request. */
const OBJECTS = 100;
/** After so many requests all tables of the server are in the old part of the heap. */
const WARM_UP = 4_000;
const LOOK_EVERY = 100;

/**
 * Answers requests as quickly as the processor can. Their callers have no key and send the next request before the answer. Prints the
 * largest number of bytes that finished requests occupy in the heap before a full garbage collection.
 */
let left = WARM_UP + REQUESTS;
let startBytes = 0;
let mostBytes = 0;
const server = new HttpServer({
  clock: systemClock,
  log: silentLog,
  application: (request, response) => {
    const work = Array.from({ length: OBJECTS }, (_, number) => ({ number }));
    Object.defineProperty(request, "work", { value: work });
    const answer = async () => {
      await readRaw(request, { maxBytes: 10_000 });
      await nextTurn();
      answerProblem(response, 401, "Not proved", "Не подтверждено.");
      left -= 1;
      if (left === REQUESTS) startBytes = oldBytes();
      if (left < REQUESTS && left % LOOK_EVERY === 0) mostBytes = Math.max(mostBytes, oldBytes());
      if (left === 0) end();
    };
    void answer();
  },
});
const { host, port } = await server.listen("127.0.0.1", 0);
const request = `POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: ${SMALL_BODY.length}\r\n\r\n${SMALL_BODY}`;
const bytes = Buffer.from(request.repeat(20));
for (let number = 0; number < CONNECTIONS; number += 1) {
  const socket = connect(port, host)
    .on("data", () => {})
    .on("error", () => socket.destroy());
  const pour = () => {
    while (!socket.destroyed && socket.write(bytes));
  };
  socket.on("drain", pour);
  pour();
}

function oldBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space")?.space_used_size ?? 0;
}

function end(): void {
  process.stdout.write(String(mostBytes - startBytes), () => process.exit());
}
