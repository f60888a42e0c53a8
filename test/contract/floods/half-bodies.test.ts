import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { answerProblem } from "../../../src/http/answer.ts";
import { readBody } from "../../../src/http/raw-body.ts";
import { HttpServer } from "../../../src/http/server.ts";
import { unprovedRequestOf } from "../../../src/http/unproved-request.ts";
import { keptLog } from "../../support/http-server.ts";
import { HurriedClock } from "../../support/hurried-clock.ts";

/** More half bodies than may be received at the same time. */
const HALVES = 700;
const BODY = "x".repeat(8 * 1024);
const HEAD = `POST /sale HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n`;
const SALES = 5;

it("hundreds of half bodies that come together with sales from the same address take no room from the sales", {
  timeout: 60_000,
}, async () => {
  const clock = new HurriedClock();
  const server = new HttpServer({
    application(request, response) {
      void readBody(request).then((body) => {
        if (body.kind !== "body") return answerProblem(response, 503, body.kind, body.kind);
        unprovedRequestOf(response)?.prove();
        response.end("answered");
      });
    },
    log: keptLog().log,
    clock,
  });
  const { port } = await server.listen("127.0.0.1", 0);
  onTestFinished(() => {
    clock.hurry();
    return server.close(1_000);
  });
  const open = async () => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => socket.destroy());
    onTestFinished(() => void socket.destroy());
    await once(socket, "connect");
    return socket;
  };
  const sockets: Socket[] = [];
  for (let opened = 0; opened < HALVES + SALES; opened += 1) sockets.push(await open());
  const sales = sockets.slice(0, SALES);
  const answers = sales.map((sale) => once(sale, "data").then(([chunk]) => String(chunk).slice(0, 15)));
  for (const sale of sales) sale.write(`${HEAD}\r\n${BODY}`);
  for (const half of sockets.slice(SALES)) half.resume().write(`${HEAD}\r\n${BODY.slice(1)}`);
  expect(await Promise.all(answers)).toEqual(sales.map(() => "HTTP/1.1 200 OK"));
});
