import { parseArgs } from "node:util";
import Moysklad from "moysklad";
import { systemClock } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { PLATFORM_PROFILES } from "../../src/kernel/platform-profile.ts";
import { openWire } from "../../src/platform/api/exchange.ts";
import { openClient } from "../../src/platform/client.ts";

const PAGE = 1000;

/** The result of one reading, as this process prints it. */
export interface Reading {
  rows: number;
  tookMs: number;
  /** The processor time of the process, including its start. */
  workMs: number;
  /** The largest memory of the process. */
  peakBytes: number;
}

type Reader = (base: string, token: string, rows: number) => Promise<number>;

/** The ways to read so many products. None of them keeps the products. */
const READERS: Readonly<Record<string, Reader>> = {
  /** The pages by offset, in the platform's own order. */
  async pages(base, token, wanted) {
    const { client, close } = ours(base, token);
    let rows = 0;
    while (rows < wanted) rows += (await client.products.list({ limit: PAGE, offset: rows })).rows.length;
    await close();
    return rows;
  },
  /** The iterator that misses no row when rows move. */
  async all(base, token, wanted) {
    const { client, close } = ours(base, token);
    let rows = 0;
    for await (const { name } of client.products.all()) {
      if (name !== undefined) rows += 1;
      if (rows >= wanted) break;
    }
    await close();
    return rows;
  },
  /** The public client with the same pages. It leaves limits and repeats to its user. */
  async public(base, token, wanted) {
    const theirs = Moysklad({ endpoint: `${base}/api`, token, fetch });
    let rows = 0;
    while (rows < wanted) {
      const page: { rows: readonly unknown[] } = await theirs.GET("entity/product", { limit: PAGE, offset: rows });
      rows += page.rows.length;
    }
    return rows;
  },
};

function ours(base: string, token: string) {
  const wire = openWire({ parallel: 1 });
  const client = openClient({
    url: `${base}/api/remap/1.2`,
    authorization: () => `Bearer ${token}`,
    headers: PLATFORM_PROFILES.canonical.headers,
    wire,
    clock: systemClock,
    log: silentLog,
    // The sandbox refuses nothing here, but its headers go on counting.
    rateHeeded: false,
  });
  return { client, close: () => wire.close() };
}

const { positionals } = parseArgs({ allowPositionals: true });
const [reader = "", base = "", token = "", rows = ""] = positionals;
const startedMs = systemClock.monotonicMs();
const read = await READERS[reader]?.(base, token, Number(rows));
const reading: Reading = {
  rows: read ?? 0,
  tookMs: systemClock.monotonicMs() - startedMs,
  workMs: (process.cpuUsage().user + process.cpuUsage().system) / 1_000,
  peakBytes: process.resourceUsage().maxRSS * 1024,
};
process.stdout.write(`${JSON.stringify(reading)}\n`);
