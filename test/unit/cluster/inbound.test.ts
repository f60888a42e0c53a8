import { once } from "node:events";
import { request } from "node:http";
import { afterEach, beforeEach, expect, it } from "vitest";
import { CallKeys, PROOF_HEADER } from "../../../src/cluster/call-proof.ts";
import { inboundCalls } from "../../../src/cluster/inbound.ts";
import { HttpServer } from "../../../src/http/server.ts";
import { nextTurn } from "../../../src/kernel/clock.ts";
import { Secret } from "../../../src/kernel/secret.ts";
import { keptLog, type LogLine } from "../../support/http-server.ts";
import { HurriedClock } from "../../support/hurried-clock.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const keys = new CallKeys(new Secret("the-key-of-the-cluster"));
const LARGE = Buffer.alloc(7 * 1024 * 1024, "a");
const HALF = LARGE.length / 2;
const HEAD = { method: "POST", path: "/internal/submit", to: "two", from: "one", number: 1 };
const READING = { processes: [], leases: [], agents: {}, generation: 1, settled: true, nowMs: 0, systemId: "", timeline: 1 };

let server: HttpServer;
let clock: HurriedClock;
let lines: LogLine[] = [];
let port = 0;

beforeEach(async () => {
  const kept = keptLog();
  lines = kept.lines;
  clock = new HurriedClock();
  const membership = { id: "two", reading: READING, readAnew: async () => READING };
  const { log } = kept;
  // For the lines of the log no time passes.
  const application = inboundCalls({ keys, membership, log, clock: new VirtualClock(0), handlers: {} });
  server = new HttpServer({ application, log, clock });
  ({ port } = await server.listen("127.0.0.1", 0));
});
afterEach(async () => {
  clock.hurry();
  await server.close(1_000);
});

/** Sends a body in two halves. `between` ends when the server has had time for the first one. */
async function call(proof: string, between: () => Promise<void>): Promise<number | undefined> {
  const sent = request({ port, method: "POST", path: HEAD.path, headers: { [PROOF_HEADER]: proof, "content-length": LARGE.length } });
  const answered = once(sent, "response");
  await new Promise((resolve) => void sent.write(LARGE.subarray(0, HALF), resolve));
  await between();
  sent.end(LARGE.subarray(HALF));
  const [response] = await answered;
  response.resume();
  return response.statusCode;
}

it.each([
  ["an invented receiver", keys.prove({ ...HEAD, to: "three" }, LARGE)],
  ["words", "let me in"],
])("a call with %s is refused when it has come, and nothing of it is kept", async (_what, proof) => {
  const status = await call(proof, async () => {
    for (let turn = 0; turn < 1_000; turn += 1) {
      await nextTurn();
      expect(server.heldBytes.bodies).toBe(0);
    }
  });
  expect(status).toBe(401);
});

it("a call to this start of the process is read whole, and then proved", async () => {
  const status = await call(keys.prove(HEAD, LARGE), async () => {
    while (server.heldBytes.bodies < HALF / 2) await nextTurn();
  });
  // The sender is not in the cluster.
  expect(status).toBe(401);
});

it("calls without a proof write fifty lines, and no line for each further call", async () => {
  for (let calls = 0; calls < 60; calls += 1) {
    const answer = await fetch(`http://127.0.0.1:${port}/internal/${calls}`, { method: "POST", body: "{}" });
    expect(answer.status).toBe(401);
    await answer.arrayBuffer();
  }
  expect(lines.filter(({ text }) => text.includes("was not proved"))).toHaveLength(50);
});
