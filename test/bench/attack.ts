import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import type { LoadCall } from "./load.ts";

/** The orders of the attacker: how many connections it opens. Each of them sends one body after the other until the process ends. */
export interface Attack {
  base: string;
  connections: number;
  calls: LoadCall[];
  seed: number;
}

const [attackFile = ""] = process.argv.slice(2);
const { base, connections, calls, seed } = JSON.parse(readFileSync(attackFile, "utf8")) as Attack;
const { hostname, port } = new URL(base);
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const prepared = calls.map((call) => ({ ...call, body: Buffer.from(call.bodyBase64, "base64") }));
let state = seed;

process.stdout.write("attacking\n");
await Promise.all(Array.from({ length: connections }, () => attack()));

async function attack(): Promise<void> {
  for (;;) await send(chosen());
}

/** Random numbers that are the same for the same seed (Park and Miller). */
function chosen(): (typeof prepared)[number] {
  state = (state * 48_271) % 2_147_483_647;
  const call = prepared[state % prepared.length];
  if (call === undefined) throw new Error("nothing to send");
  return call;
}

/** Sends a request. Any answer is ignored, and the server may close the connection instead. */
function send({ method, path, headers, body }: (typeof prepared)[number]): Promise<void> {
  return new Promise((resolve) => {
    const options = { agent, hostname, port, method, path, headers: { ...headers, "content-length": body.length } };
    const outgoing = request(options, (response) => {
      response.resume();
      response.once("close", resolve);
    });
    outgoing.once("error", () => resolve());
    outgoing.end(body);
  });
}
