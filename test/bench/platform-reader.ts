import { parseArgs } from "node:util";
import Moysklad from "moysklad";
import { systemClock } from "../../src/kernel/clock.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { PLATFORM_PROFILES } from "../../src/kernel/platform-profile.ts";
import { openWire } from "../../src/platform/api/exchange.ts";
import { openClient } from "../../src/platform/client.ts";

const PAGE = 1000;

/** What one reading took, as this process prints it. */
export interface Reading {
  rows: number;
  tookMs: number;
  /** What the process worked, its start included. */
  workMs: number;
  /** Most memory that the process has had. */
  peakBytes: number;
}

type Reader = (base: string, token: string, rows: number) => Promise<number>;

/** Each reads products until it has so many, and keeps none of them. */
const READERS: Readonly<Record<string, Reader>> = {
  /** The pages in their own order, by offset. */
  async pages(base, token, wanted) {
    const { client, close } = ours(base, token);
    let rows = 0;
    while (rows < wanted) rows += (await client.products.list({ limit: PAGE, offset: rows })).rows.length;
    await close();
    return rows;
  },
  /** The iterator that stays right while rows move. */
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
  /** The public client with the same pages; it leaves limits and repeats to whoever uses it. */
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
    // Nothing is refused there, though the headers go on counting.
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
