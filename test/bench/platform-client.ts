import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { systemClock } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { PLATFORM_PROFILES } from "../../src/kernel/platform-profile.ts";
import { openWire } from "../../src/platform/api/exchange.ts";
import { openClient } from "../../src/platform/client.ts";
import { type SandboxProcess, startSandbox } from "../support/sandbox-process.ts";
import type { Reading } from "./platform-reader.ts";
import { median, type Part, type Row, rounded, withFloor } from "./row.ts";

const PRODUCTS = 100_000;
const FEW = 10_000;
const ROUNDS = 3;
const MIB = 1024 * 1024;
const READER = fileURLToPath(new URL("platform-reader.ts", import.meta.url));

const run = promisify(execFile);

/**
 * The client library reads 100,000 products page by page. Its time is compared with that of the public client, which reads the same pages,
 * in turns. The largest memory of its process is compared with the memory for a tenth of the products. The sandbox is a process of its own.
 */
export const platformClientBench: Part = {
  prefix: "platform.client.",
  async run(note): Promise<Row[]> {
    // The public client accepts only https.
    const sandbox = await startSandbox("--products", String(PRODUCTS), "--no-limits", "--tls", "--token", "bench-token");
    try {
      const read = (reader: string, rows: number) => readIn(reader, sandbox, rows);
      await read("pages", FEW);
      const pages: Reading[] = [];
      const theirs: Reading[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const [ours, others] = [await read("pages", PRODUCTS), await read("public", PRODUCTS)];
        pages.push(ours);
        theirs.push(others);
        note(`${PRODUCTS} products: ours ${seconds(ours.tookMs)} s, the public client ${seconds(others.tookMs)} s`);
      }
      const few = await read("all", FEW);
      const all = await read("all", PRODUCTS);
      note(`sorted by id, while rows may move: ${seconds(all.tookMs)} s; the sandbox sorts anew for each page`);
      return [
        withFloor({ name: "platform.client.pages", value: secondsOf(pages, "tookMs"), unit: "s" }, secondsOf(theirs, "tookMs")),
        withFloor({ name: "platform.client.pages.work", value: secondsOf(pages, "workMs"), unit: "s" }, secondsOf(theirs, "workMs")),
        { name: "platform.client.all", value: seconds(all.tookMs), unit: "s" },
        withFloor({ name: "platform.client.memory", value: rounded(all.peakBytes / MIB), unit: "MiB" }, few.peakBytes / MIB),
        { name: "platform.client.memory-growth", value: rounded((all.peakBytes - few.peakBytes) / MIB), unit: "MiB" },
      ];
    } finally {
      await sandbox.end("SIGTERM");
    }
  },
};

const READS = 1_000;
/** The shortest possible time: with 45 units in 3 s, 22 full windows come before the last one. */
const LEAST_S = 66;

/** A thousand readings of weight 1 under the rate limit, by a client that knows nothing of the limit at first. Takes over a minute. */
export const platformRateBench: Part = {
  prefix: "platform.client-rate.",
  async run(note): Promise<Row[]> {
    const sandbox = await startSandbox("--token", "bench-token");
    const wire = openWire({ parallel: 4 });
    try {
      const { api } = openClient({
        url: `${sandbox.base}/api/remap/1.2`,
        authorization: () => `Bearer ${sandbox.token}`,
        headers: PLATFORM_PROFILES.canonical.headers,
        wire,
        clock: systemClock,
        log: silentLog,
      });
      const startedMs = systemClock.monotonicMs();
      await Promise.all(Array.from({ length: READS }, () => api.call({ method: "GET", path: "entity/uom", query: { limit: "1" } })));
      const tookS = seconds(systemClock.monotonicMs() - startedMs);
      const counters: unknown = await (await fetch(`${sandbox.base}/sandbox/counters`)).json();
      const refused = Number(Reflect.get(Object(Reflect.get(Object(counters), "answersByStatus")), "429") ?? 0);
      note(`${READS} reads in ${tookS} s, ${refused} refused`);
      return [
        withFloor({ name: "platform.client-rate.reads", value: tookS, unit: "s" }, LEAST_S),
        { name: "platform.client-rate.refused", value: refused, unit: "requests" },
      ];
    } finally {
      await wire.close();
      await sandbox.end("SIGTERM");
    }
  },
};

/** Reads in a process of its own, so that its memory is only the client's. */
async function readIn(reader: string, { base, token, ca }: SandboxProcess, rows: number): Promise<Reading> {
  const env = ca === undefined ? {} : { NODE_EXTRA_CA_CERTS: ca };
  const { stdout } = await run(process.execPath, [READER, reader, base, token, String(rows)], { env });
  const reading = JSON.parse(stdout) as Reading;
  if (reading.rows !== rows) throw new Error(`${reader}: ${reading.rows} rows, not ${rows}`);
  return reading;
}

function secondsOf(readings: readonly Reading[], what: "tookMs" | "workMs"): number {
  return seconds(median(readings.map((reading) => reading[what])));
}

function seconds(ms: number): number {
  return rounded(ms / 1000);
}
