import { once } from "node:events";
import { connect } from "node:net";
import { Router } from "express";
import type { SeenRequest } from "../../src/http/access-log.ts";
import { answerJson } from "../../src/http/answer.ts";
import { application } from "../../src/http/application.ts";
import { probeRouter, type ReadyCheck } from "../../src/http/probes.ts";
import { readBody } from "../../src/http/raw-body.ts";
import { noteForLog } from "../../src/http/request-context.ts";
import { type ContractAnswers, contractRouter, type Endpoint, type Handler } from "../../src/http/route.ts";
import { HttpServer } from "../../src/http/server.ts";
import { nextTurn, systemChance } from "../../src/kernel/clock.ts";
import type { Log } from "../../src/kernel/log.ts";
import { HurriedClock } from "./hurried-clock.ts";

export interface LogLine {
  level: string;
  text: string;
  values: Record<string, unknown>;
}

/** A log that keeps its lines for the test to look at. */
export function keptLog(): { log: Log; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const keep = (level: string) => (values: Record<string, unknown>, text: string) => void lines.push({ level, text, values });
  return { log: { trace: keep("trace"), debug: keep("debug"), info: keep("info"), warn: keep("warn"), error: keep("error") }, lines };
}

const ENDPOINTS = [
  { id: "body", method: "POST", path: "/body", aliases: ["/bodi"], summary: "says what it read", answers: [] },
  { id: "named", method: "GET", path: "/named/:name", summary: "says the name", answers: [] },
  { id: "broken", method: "PUT", path: "/broken", summary: "fails inside", answers: [] },
  { id: "half", method: "GET", path: "/half", summary: "begins an answer and fails", answers: [] },
  { id: "slow", method: "GET", path: "/slow", summary: "answers when the test says so", answers: [] },
] as const satisfies readonly Endpoint[];

const ANSWERS: ContractAnswers = {
  unknownPath: (_request, response) => answerJson(response, 404, { own: "unknown path" }),
  wrongMethod: (_request, response) => answerJson(response, 405, { own: "wrong method" }),
  fault: (_error, _request, response) => answerJson(response, 500, { own: "fault" }),
};

export interface Sample {
  server: HttpServer;
  /** `http://127.0.0.1:PORT`. */
  address: string;
  port: number;
  lines: LogLine[];
  seen: SeenRequest[];
  /** Resolves when a request has reached /sample/slow and waits there. */
  arrived: Promise<void>;
  /** Answers the requests that wait in /sample/slow. */
  release(): void;
  /** Shortens the server's time limits from now on, for a test that waits for one. */
  hurry(): void;
  /** Ends a test: closes the server without the time that late requests usually get. */
  end(): Promise<void>;
}

/** The time limit for closing what a test has left open. */
const END_LIMIT_MS = 1_000;

/** A server with one contract at /sample, for tests of what is the same in every contract. */
export async function sampleServer(
  options: { checks?: ReadyCheck[]; headersTimeoutMs?: number; requestTimeoutMs?: number } = {},
): Promise<Sample> {
  const { log, lines } = keptLog();
  const clock = new HurriedClock();
  const seen: SeenRequest[] = [];
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const handlers: Record<(typeof ENDPOINTS)[number]["id"], Handler> = {
    body: async (request, response) => {
      const body = await readBody(request);
      noteForLog(response, { outcome: body.kind });
      answerJson(
        response,
        200,
        body.kind === "body" ? { kind: body.kind, size: body.bytes.length, text: body.bytes.toString().slice(0, 100) } : body,
      );
    },
    named: (request, response) => answerJson(response, 200, { name: request.params.name }),
    broken: () => {
      throw new Error("secret detail of the inside");
    },
    half: async (_request, response) => {
      response.write("the first half");
      // Node writes the first bytes of an answer in a later turn.
      await nextTurn();
      throw new Error("secret detail of the inside");
    },
    slow: async (_request, response) => {
      arrived.resolve();
      await released.promise;
      answerJson(response, 200, { slow: true });
    },
  };
  const app = application({
    requestIdHeader: "X_Platform_RequestId",
    mounts: [
      { base: "/sample", router: contractRouter(ENDPOINTS, handlers, ANSWERS) },
      { base: "/page", router: Router().get("/half", handlers.half) },
      {
        base: "/",
        router: probeRouter({
          clock,
          checks: options.checks ?? [],
          metrics: { contentType: "text/plain", text: async () => "numbers 1\n" },
        }),
      },
    ],
    log,
    clock,
    chance: systemChance,
    observe: (request) => void seen.push(request),
  });
  const server = new HttpServer({ application: app, log, clock, ...options });
  const { port } = await server.listen("127.0.0.1", 0);
  return {
    server,
    address: `http://127.0.0.1:${port}`,
    port,
    lines,
    seen,
    arrived: arrived.promise,
    release: () => released.resolve(),
    hurry: () => clock.hurry(),
    end() {
      clock.hurry();
      return server.close(END_LIMIT_MS);
    },
  };
}

/** Sends bytes unchanged and returns everything that came until the connection was closed. */
export async function exchange(port: number, ...parts: (string | Buffer)[]): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  socket.on("data", (chunk) => {
    answer += chunk.toString("latin1");
  });
  socket.on("error", () => socket.destroy());
  await once(socket, "connect");
  for (const part of parts) socket.write(part);
  await once(socket, "close");
  return answer;
}
