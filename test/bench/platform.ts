import { Agent, get } from "node:http";
import { promisify } from "node:util";
import { gunzipSync, gzip } from "node:zlib";
import { systemClock } from "../../src/kernel/clock.ts";
import type { Account } from "../../src/tools/sandbox/account/account.ts";
import { matching } from "../../src/tools/sandbox/reading/list.ts";
import { CATALOGUE } from "../../src/tools/sandbox/types/catalogue.ts";
import type { Values } from "../../src/tools/sandbox/values/stored.ts";
import { testSandbox } from "../support/sandbox.ts";
import { readingIn } from "../support/sandbox-reading.ts";
import { median, type Part, type Row, rounded, withFloor } from "./row.ts";
import { usedMemory } from "./used-memory.ts";

const PRODUCTS = 100_000;
const ROUNDS = 25;
const WARM_UP = 5;
const DEFINITION_ID = "99999999-0000-4000-8000-000000000001";

const compress = promisify(gzip);

/** A list of 1,000 of 100,000 products that a filter finds. Its floor is JSON and gzip of the same answer. */
export const platformBench: Part = {
  prefix: "platform.",
  async run(note): Promise<Row[]> {
    const before = usedMemory();
    const sandbox = await testSandbox({ products: PRODUCTS });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      addAttribute(sandbox.account);
      const filters = filtersOf(sandbox.account, sandbox.api);
      const rows: Row[] = [];
      const loaded = usedMemory();
      for (const [name, filter] of Object.entries(filters)) {
        const address = `${sandbox.api}/entity/product?filter=${encodeURIComponent(filter)}`;
        rows.push(await listRow(name, address, agent, note), findRow(name, filter, sandbox.account));
      }
      rows.push(await assortmentRow(`${sandbox.api}/entity/assortment`, agent, note));
      rows.push(memoryRow("platform.memory.objects", loaded - before), memoryRow("platform.memory.columns", usedMemory() - loaded));
      return rows;
    } finally {
      agent.destroy();
      await sandbox.close();
    }
  },
};

/** Conditions on a text, a moment and an additional field. Well over a page of products fulfils each of them. */
function filtersOf(account: Account, api: string): Record<string, string> {
  const products = [...account.objects.all("product").values()];
  const updated = products.map(({ values }) => Number(values.updated)).sort((a, b) => a - b);
  const moment = new Date((updated[updated.length - 20_000] ?? 0) + 3 * 3_600_000).toISOString().slice(0, 19).replace("T", " ");
  return {
    "name-contains": "name~ый",
    "updated-after": `updated>${moment}`,
    "additional-field": `${api}/entity/product/metadata/attributes/${DEFINITION_ID}=Полка 7`,
  };
}

/** Each product is in one of twenty folders. */
function addAttribute(account: Account): void {
  account.unlogged(() => {
    account.put({
      type: "attributemetadata",
      id: DEFINITION_ID,
      values: { of: "product", name: "Место", type: "string", required: false },
    });
    for (const [at, stored] of [...account.objects.all("product").values()].entries()) {
      account.put({ ...stored, values: { ...stored.values, attributes: { [DEFINITION_ID]: `Полка ${at % 20}` } satisfies Values } });
    }
  });
}

/**
 * The request over HTTP to the last byte of its answer, and the bare loop with the same answer, in turns. The best rounds
 * of both count: a request changes threads several times, and on a busy machine waits each time.
 */
async function listRow(name: string, address: string, agent: Agent, note: (text: string) => void): Promise<Row> {
  const answer: unknown = JSON.parse(gunzipSync(await bytesOf(address, agent)).toString("utf8"));
  const page = answer as { rows: unknown[]; meta: { size: number } };
  if (page.rows.length !== 1_000) throw new Error(`${name}: ${page.rows.length} rows, not 1,000`);
  const [ours, floor]: [number[], number[]] = [[], []];
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    ours.push(await elapsedMs(() => bytesOf(address, agent)));
    floor.push(await elapsedMs(() => compress(JSON.stringify(page))));
  }
  const row = withFloor({ name: `platform.list.${name}`, value: rounded(Math.min(...ours)), unit: "ms" }, Math.min(...floor));
  note(`${name}: 1,000 of ${page.meta.size} in ${row.value} ms, JSON and gzip alone ${row.floor} ms`);
  return row;
}

/** A page of everything that can be sold, with its stock. Its floor is the same page without the stock. The best rounds of both count. */
async function assortmentRow(address: string, agent: Agent, note: (text: string) => void): Promise<Row> {
  const [full, light]: [number[], number[]] = [[], []];
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    full.push(await elapsedMs(() => bytesOf(address, agent)));
    light.push(await elapsedMs(() => bytesOf(address, agent, { "x-platform-remap-beta-feature": "assortmentWithoutStock" })));
  }
  const row = withFloor({ name: "platform.assortment", value: rounded(Math.min(...full)), unit: "ms" }, Math.min(...light));
  note(`assortment: 1,000 rows with stock in ${row.value} ms, without ${row.floor} ms`);
  return row;
}

/** Finds rows without writing any. */
function findRow(name: string, filter: string, account: Account): Row {
  const type = CATALOGUE.get("product");
  if (type === undefined) throw new Error("no products in the catalogue");
  const reading = readingIn(account, CATALOGUE, { filter: filter.replace(/^http.*\/api\//, "http://sandbox.example/api/") });
  const times: number[] = [];
  for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
    const startedMs = systemClock.monotonicMs();
    matching(type, reading);
    if (round >= WARM_UP) times.push(systemClock.monotonicMs() - startedMs);
  }
  return { name: `platform.find.${name}`, value: rounded(median(times)), unit: "ms" };
}

function memoryRow(name: string, bytes: number): Row {
  return { name, value: rounded(bytes / 1024 / 1024), unit: "MiB" };
}

async function elapsedMs(work: () => Promise<unknown>): Promise<number> {
  const startedMs = systemClock.monotonicMs();
  await work();
  return systemClock.monotonicMs() - startedMs;
}

function bytesOf(address: string, agent: Agent, more: Record<string, string> = {}): Promise<Buffer> {
  const headers = { authorization: "Bearer test-token", "accept-encoding": "gzip", ...more };
  return new Promise((resolve, reject) => {
    get(address, { agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve(Buffer.concat(chunks)));
      response.on("error", reject);
    }).on("error", reject);
  });
}
