import { readFileSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { pause, systemClock } from "../../src/kernel/clock.ts";

/** The orders of the generator. All tills send at the same time. */
export interface Load {
  base: string;
  tills: LoadTill[];
  /** The calls of each till that are sent before the measuring begins. */
  warmUp: number;
  /**
   * The interval of each till's calls. The next call is sent even if the one before has no answer, and the time of a
   * call begins when it was due. The tills are spread evenly over the interval. Absent: each till sends its calls one
   * after the other.
   */
  everyMs?: number;
  /** A call that fails or takes longer counts as a call of this duration. Absent: no call may fail. */
  limitMs?: number;
  /** Tills that send their calls one after the other send none after this time. Absent: they send all calls. */
  endAfterMs?: number;
}

export interface LoadTill {
  calls: LoadCall[];
  /** True for a till whose register is made to fail. Its times and answers do not count. */
  uncounted?: boolean;
  /** Opens a new connection for each call, like a proxy that keeps no connections. */
  fresh?: boolean;
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
  /** The first five answers other than 200. */
  wrong: string[];
  /** All answers other than 200. */
  refused: number;
  /** Calls without an answer within the limit. */
  lost: number;
}

/** The status of a call that got no answer. */
const LOST = -1;

const [loadFile = "", resultFile = ""] = process.argv.slice(2);
const load = JSON.parse(readFileSync(loadFile, "utf8")) as Load;
const agent = new Agent({ keepAlive: true, maxSockets: load.everyMs === undefined ? load.tills.length : Number.POSITIVE_INFINITY });
const { hostname, port } = new URL(load.base);
const measured: Measured = { elapsedMs: 0, latenciesMs: [], wrong: [], refused: 0, lost: 0 };

const prepared = load.tills.map(({ calls, uncounted = false, fresh = false }) => ({
  calls: calls.map((call) => ({ ...call, body: Buffer.from(call.bodyBase64, "base64"), agent: fresh ? (false as const) : agent })),
  uncounted,
}));
const begunMs = systemClock.monotonicMs();
let startedMs = begunMs;
if (load.everyMs === undefined) {
  await Promise.all(prepared.map(({ calls }) => sendInTurn(calls.slice(0, load.warmUp), false)));
  startedMs = systemClock.monotonicMs();
  await Promise.all(prepared.map(({ calls }) => sendInTurn(calls.slice(load.warmUp), true)));
} else {
  const { everyMs, warmUp } = load;
  await Promise.all(
    prepared.map(({ calls, uncounted }, index) => {
      const firstMs = startedMs + (everyMs * index) / prepared.length;
      return Promise.all(calls.map((call, number) => sendAt(call, firstMs + everyMs * number, number >= warmUp && !uncounted)));
    }),
  );
}
measured.elapsedMs = systemClock.monotonicMs() - startedMs;
writeFileSync(resultFile, JSON.stringify(measured));
agent.destroy();

type Prepared = LoadCall & { body: Buffer; agent: Agent | false };

async function sendInTurn(calls: Prepared[], counted: boolean): Promise<void> {
  for (const call of calls) {
    const nowMs = systemClock.monotonicMs();
    if (load.endAfterMs !== undefined && nowMs >= begunMs + load.endAfterMs) return;
    await sendNow(call, nowMs, counted);
  }
}

async function sendAt(call: Prepared, dueMs: number, counted: boolean): Promise<void> {
  await pause(systemClock, Math.max(0, dueMs - systemClock.monotonicMs()));
  await sendNow(call, dueMs, counted);
}

async function sendNow(call: Prepared, sinceMs: number, counted: boolean): Promise<void> {
  const { status, text } = load.limitMs === undefined ? await send(call) : await sendOrGiveUp(call, load.limitMs);
  if (!counted) return;
  if (status === LOST) {
    measured.lost += 1;
    measured.latenciesMs.push(load.limitMs ?? 0);
    return;
  }
  measured.latenciesMs.push(systemClock.monotonicMs() - sinceMs);
  if (status === 200) return;
  measured.refused += 1;
  if (measured.wrong.length < 5) measured.wrong.push(`${status} ${text.slice(0, 200)}`);
}

async function sendOrGiveUp(call: Prepared, limitMs: number): Promise<{ status: number; text: string }> {
  try {
    return await send(call, AbortSignal.timeout(limitMs));
  } catch (error) {
    return { status: LOST, text: error instanceof Error ? error.message : String(error) };
  }
}

function send({ method, path, headers, body, agent }: Prepared, signal?: AbortSignal): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const options = {
      agent,
      hostname,
      port,
      method,
      path,
      headers: { ...headers, "content-length": body.length },
      ...(signal === undefined ? {} : { signal }),
    };
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
