import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { answerProblem } from "../../../src/http/answer.ts";
import { readBody } from "../../../src/http/raw-body.ts";
import { HttpServer } from "../../../src/http/server.ts";
import { unprovedRequestOf } from "../../../src/http/unproved-request.ts";
import { nextTurn } from "../../../src/kernel/clock.ts";
import { keptLog } from "../../support/http-server.ts";
import { HurriedClock } from "../../support/hurried-clock.ts";

const BODY = "1234567890";
const HEAD = `POST /sale HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n`;
const SALE = `${HEAD}Authorization: key\r\n\r\n${BODY}`;
/** Of every sale on a bad line, and of every half body of a stranger, this much comes at first. */
const LATER_BYTES = 5;
/** Sales of one address that arrive at the same time. */
const SALES = 3;

/** A server that takes a request with a key and refuses others, when their body has come. */
async function start(maxConnections: number) {
  const clock = new HurriedClock();
  const server = new HttpServer({
    application(request, response) {
      void readBody(request).then((body) => {
        if (body.kind !== "body") return answerProblem(response, 503, body.kind, body.kind);
        if (request.headers.authorization === "key") unprovedRequestOf(response)?.prove();
        response.end("answered");
      });
    },
    log: keptLog().log,
    clock,
    maxConnections,
  });
  const { port } = await server.listen("127.0.0.1", 0);
  onTestFinished(() => {
    clock.hurry();
    return server.close(1_000);
  });
  const open = async (localAddress: string) => {
    const socket = connect({ port, host: "127.0.0.1", localAddress });
    socket.on("error", () => socket.destroy());
    onTestFinished(() => void socket.destroy());
    await once(socket, "connect");
    return socket;
  };
  return { server, open };
}

/** Returns the next answer. Undefined: the connection was closed instead. */
async function ask(socket: Socket, bytes: string): Promise<string | undefined> {
  const answer = Promise.race([once(socket, "data").then(([chunk]) => String(chunk)), once(socket, "close").then(() => undefined)]);
  socket.write(bytes);
  return answer;
}

it.each([
  ["the bodies that strangers may send", 2_000, 256],
  ["the places of connections", 16, 16],
])(
  "half bodies from hundreds of networks fill %s and take no place from an address that has proved a sale",
  async (_what, places, most) => {
    const { server, open } = await start(places);
    let strangers = 0;
    const flood = async (count: number) => {
      for (let each = 0; each < count; each += 1, strangers += 1) {
        const socket = await open(`127.7.${Math.floor(strangers / 250)}.${1 + (strangers % 250)}`);
        socket.resume().write(`${HEAD}\r\n${BODY.slice(LATER_BYTES)}`);
      }
      while (server.heldBytes.unread > 0) await nextTurn();
    };
    expect(await ask(await open("127.0.0.1"), SALE)).toContain("200 OK");
    await flood(most);
    const sales = await Promise.all(Array.from({ length: SALES }, () => open("127.0.0.1")));
    for (const sale of sales) sale.write(SALE.slice(0, -LATER_BYTES));
    await flood(2 * most);
    for (const sale of sales) expect(await ask(sale, SALE.slice(-LATER_BYTES))).toContain("200 OK");
  },
);
