import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EntryHeads } from "../../src/journal/entry-heads.ts";
import type { EntryHead } from "../../src/journal/reading/head.ts";
import { isReadable } from "../../src/journal/reading/unreadable.ts";
import { openStore, type Store } from "../../src/store/database.ts";
import { dayAndHour, dayAndHourAt, roubles } from "../../src/web/amounts.ts";
import { operationRow } from "../../src/web/console/operations-page.ts";
import { sayIn } from "../../src/web/language.ts";
import { operationWords, STATE_COLOURS, stateWords } from "../../src/web/words/operation-words.ts";
import { fillJournal } from "./page-fill.ts";
import { liveRows } from "./page-live.ts";
import { PageServer } from "./page-server.ts";
import { median, medianRow, type Part, type Row, rounded, withFloor } from "./row.ts";
import { usedMemory } from "./used-memory.ts";

/** The number of entries in the large journal. A smaller number is for trying the rows out: the limits are for a million. */
// biome-ignore lint/style/noProcessEnv: a size for whoever tries the rows out, as of the rows of loyalty.
const ENTRIES = Number(process.env.PAGE_BENCH_ENTRIES ?? 1_000_000);
const FEW = 1_000;
const LISTED = 100;
const ROUNDS = 7;
const RENDERINGS = 200;
const CALLS = 40;
const KIB = 1024;
const MIB = KIB * KIB;

/** How long pages of the console take, and what a large journal changes. */
export const pageBench: Part = {
  prefix: "page.",
  async run(note, only): Promise<Row[]> {
    const wants = (name: string) => name.startsWith(only) || only.startsWith(name);
    const rows: Row[] = [];
    const folder = mkdtempSync(join(tmpdir(), "fiscal-bench-page-"));
    try {
      const small = await filled(join(folder, "small.sqlite"), FEW);
      if (wants("page.list")) rows.push(listRow((await new EntryHeads(small).search({ limit: LISTED })).filter(isReadable)));
      if (wants("page.weight")) rows.push(await weightRow(small));
      if (["page.home", "page.first", "page.search", "page.export"].some(wants)) {
        note(`a journal of ${ENTRIES} entries is being filled`);
        const large = await filled(join(folder, "large.sqlite"), ENTRIES);
        rows.push(...(await speedRows(small, large, wants)));
        if (wants("page.export")) rows.push(await exportRow(large, note));
        await large.close();
      }
      await small.close();
      if (wants("page.live")) rows.push(...(await liveRows(note)));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    return rows;
  },
};

async function filled(file: string, entries: number): Promise<Store> {
  const store = await openStore({ kind: "sqlite", file });
  await store.migrate();
  await fillJournal(store, entries);
  return store;
}

/** A list of a hundred operations, compared with the same text joined without any escaping. */
function listRow(entries: readonly EntryHead[]): Row {
  const say = sayIn("ru");
  const context = { say, language: "ru", zone: "Europe/Moscow", nowMs: 0, session: { login: "", expiresAtMs: 0, csrf: "" } } as const;
  const names = { storeName: () => "Лавка", accountName: () => undefined };
  const bare = (entry: EntryHead) => {
    const { id, key, facts, state, name, sumKopecks: kopecks, register, acceptedAtMs } = entry;
    return `<tr data-operation="${key.documentId}" data-state="${state}"><td class="number">${facts === undefined ? dayAndHourAt(acceptedAtMs, "Europe/Moscow") : dayAndHour(facts.time)}</td><td><a href="/console/operations/${id}">${operationWords(say, key.operation)} ${name}</a></td><td class="number sum">${kopecks === undefined ? "" : roubles(kopecks)}</td><td><span class="tag ${STATE_COLOURS[state]}">${stateWords(say, state)}</span></td><td class="number" data-label="ФД">${facts?.kind === "fiscal" ? facts.documentNumber : ""}</td><td>Лавка<div class="hint">${register}</div></td></tr>`;
  };
  const rows: ReturnType<typeof withFloor>[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const floor = microseconds(() => entries.map(bare).join(""));
    const value = microseconds(() => entries.map((entry) => operationRow(context, entry, names).toString()).join(""));
    if (round > 0) rows.push(withFloor({ name: "page.list", value: rounded(value), unit: "µs" }, floor));
  }
  return medianRow(rows);
}

function microseconds(work: () => string): number {
  const beganMs = performance.now();
  let length = 0;
  for (let n = 0; n < RENDERINGS; n += 1) length += work().length;
  if (length === 0) throw new Error("nothing was rendered");
  return ((performance.now() - beganMs) * 1_000) / RENDERINGS;
}

/** The size of the largest page with everything that it loads. */
async function weightRow(store: Store): Promise<Row> {
  const server = await PageServer.open(store);
  try {
    const weights: number[] = [];
    for (const path of ["/", "/operations", "/operations/1", "/registers", "/payments", "/members", "/totals?from=2020-01-01", "/audit"]) {
      const page = await server.get(path);
      const loaded = [...page.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)].map(([, address]) => address ?? "");
      if (loaded.length === 0) throw new Error(`${path} loads no stylesheet`);
      const parts = await Promise.all(loaded.map((address) => server.get(address.replace("/console", ""))));
      weights.push([page, ...parts].reduce((sum, text) => sum + Buffer.byteLength(text), 0));
    }
    return { name: "page.weight", value: rounded(Math.max(...weights) / KIB), unit: "KiB" };
  } finally {
    await server.close();
  }
}

/** Pages with the large journal, compared with pages of a thousand entries. */
async function speedRows(small: Store, large: Store, wants: (name: string) => boolean): Promise<Row[]> {
  const [few, many] = [await PageServer.open(small), await PageServer.open(large)];
  try {
    const rows: Row[] = [];
    const pages = {
      "page.home": "/",
      "page.first": "/operations",
      "page.search": "/operations?q=00031&from=2026-11-28&to=2026-11-28",
    } as const;
    for (const [name, path] of Object.entries(pages).filter(([one]) => wants(one))) {
      const rounds: ReturnType<typeof withFloor>[] = [];
      for (let round = 0; round <= ROUNDS; round += 1) {
        const [floors, values] = [[], []] as [number[], number[]];
        for (let n = 0; n < CALLS; n += 1) {
          floors.push(await elapsedMs(() => few.get(path)));
          values.push(await elapsedMs(() => many.get(path)));
        }
        if (round > 0) rounds.push(withFloor({ name, value: rounded(median(values)), unit: "ms" }, median(floors)));
      }
      rows.push(medianRow(rounds));
    }
    return rows;
  } finally {
    await few.close();
    await many.close();
  }
}

async function elapsedMs(work: () => Promise<unknown>): Promise<number> {
  const beganMs = performance.now();
  await work();
  return performance.now() - beganMs;
}

/** By how much more memory is used in the middle of an export of everything than at its beginning. */
async function exportRow(store: Store, note: (text: string) => void): Promise<Row> {
  const server = await PageServer.open(store);
  try {
    const held: number[] = [];
    let [bytes, rows] = [0, 0];
    const beganMs = performance.now();
    for await (const chunk of server.stream("/operations.csv")) {
      bytes += chunk.length;
      for (const byte of chunk) if (byte === 0x0a) rows += 1;
      // Measuring the memory takes as long as a piece of the export, so it is done only a few times.
      if (bytes / MIB > held.length * 8) held.push(usedMemory());
    }
    const [first = 0] = held;
    note(`${rows - 1} rows, ${rounded(bytes / MIB)} MiB in ${rounded((performance.now() - beganMs) / 1_000)} s`);
    return { name: "page.export", value: rounded(Math.max(0, Math.max(...held) - first) / MIB), unit: "MiB" };
  } finally {
    await server.close();
  }
}
