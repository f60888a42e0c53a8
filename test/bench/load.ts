import { readFileSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { systemClock } from "../../src/kernel/clock.ts";

/** What the generator is told: each till sends its calls one after the other, all tills at once. */
export interface Load {
  base: string;
  tills: { calls: LoadCall[] }[];
  /** Calls of each till that are sent before the measuring begins. */
  warmUp: number;
}

export interface LoadCall {
  method: string;
  path: string;
  headers: Record<string, string>;
  bodyBase64: string;
}

export interface Measured {
  elapsedMs: number;
  latenciesMs: number[];
  /** Answers other than 200, the first of each kind. */
  wrong: string[];
}

const [loadFile = "", resultFile = ""] = process.argv.slice(2);
const load = JSON.parse(readFileSync(loadFile, "utf8")) as Load;
const agent = new Agent({ keepAlive: true, maxSockets: load.tills.length });
const { hostname, port } = new URL(load.base);
const measured: Measured = { elapsedMs: 0, latenciesMs: [], wrong: [] };

const prepared = load.tills.map(({ calls }) => calls.map((call) => ({ ...call, body: Buffer.from(call.bodyBase64, "base64") })));
await Promise.all(prepared.map((calls) => sendAll(calls.slice(0, load.warmUp), false)));
const startedMs = systemClock.monotonicMs();
await Promise.all(prepared.map((calls) => sendAll(calls.slice(load.warmUp), true)));
measured.elapsedMs = systemClock.monotonicMs() - startedMs;
writeFileSync(resultFile, JSON.stringify(measured));
agent.destroy();

async function sendAll(calls: (LoadCall & { body: Buffer })[], counted: boolean): Promise<void> {
  for (const call of calls) {
    const sentMs = systemClock.monotonicMs();
    const { status, text } = await send(call);
    if (counted) measured.latenciesMs.push(systemClock.monotonicMs() - sentMs);
    if (status !== 200 && measured.wrong.length < 5) measured.wrong.push(`${status} ${text.slice(0, 200)}`);
  }
}

function send({ method, path, headers, body }: LoadCall & { body: Buffer }): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const options = { agent, hostname, port, method, path, headers: { ...headers, "content-length": body.length } };
    const outgoing = request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") }));
      response.on("error", reject);
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
