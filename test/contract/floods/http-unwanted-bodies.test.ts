import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { HttpServer } from "../../../src/http/server.ts";
import { nextTurn } from "../../../src/kernel/clock.ts";
import { keptLog } from "../../support/http-server.ts";
import { HurriedClock } from "../../support/hurried-clock.ts";

const MEBIBYTE = 1024 * 1024;
/** Far more than a caller may send after its answer, with all that the system holds on the way. */
const MOST_POURED = 64 * MEBIBYTE;
const PIECE = Buffer.alloc(64 * 1024, "a");
const NEXT = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

let server: HttpServer;
let clock: HurriedClock;
let caller: Socket;
let text = "";

beforeEach(async () => {
  clock = new HurriedClock();
  // Every request is answered at once, and nobody reads its body.
  server = new HttpServer({ application: (_request, response) => void response.end("answered"), log: keptLog().log, clock });
  const { port } = await server.listen("127.0.0.1", 0);
  text = "";
  caller = connect(port, "127.0.0.1").on("error", () => {});
  caller.on("data", (piece) => {
    text += String(piece);
  });
  await once(caller, "connect");
});
afterEach(async () => {
  caller.destroy();
  clock.hurry();
  await server.close(1_000);
});

describe("a body that comes after the answer and that nobody reads", () => {
  it.each([
    ["of a huge length", "Content-Length: 9000000000\r\n\r\n", PIECE],
    [
      "of chunks without an end",
      "Transfer-Encoding: chunked\r\n\r\n",
      Buffer.concat([Buffer.from("10000\r\n"), PIECE, Buffer.from("\r\n")]),
    ],
  ])("ends its connection: %s", async (_what, head, piece) => {
    let [poured, isOver] = [0, false];
    for (const event of ["end", "close"]) {
      caller.once(event, () => {
        isOver = true;
      });
    }
    caller.write(`POST / HTTP/1.1\r\nHost: a\r\n${head}`);
    while (!isOver && poured < MOST_POURED) {
      if (!caller.writableNeedDrain) {
        caller.write(piece);
        poured += piece.length;
      }
      await nextTurn();
    }
    expect(text).toContain("answered");
    expect(isOver).toBe(true);
  });

  it("leaves the connection open when it is no longer than a body may be", async () => {
    caller.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${MEBIBYTE}\r\n\r\n`);
    while (!text.includes("answered")) await nextTurn();
    caller.write(Buffer.alloc(MEBIBYTE, "a"));
    caller.write(NEXT);
    while (text.split("answered").length < 3) await nextTurn();
    expect(caller.destroyed).toBe(false);
  });
});
