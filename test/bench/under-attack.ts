import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pause, systemClock } from "../../src/kernel/clock.ts";
import { ServerProcess } from "../../src/tools/demo/processes/server-process.ts";
import type { Attack, AttackCount } from "../support/attacks/attack.ts";
import { ATTACKS } from "../support/attacks/table.ts";
import { BareProcess } from "./bare-process.ts";
import { REGISTERS, Shop } from "./bench-shop.ts";
import type { Load, Measured } from "./load.ts";
import { type Part, percentile, type Row, rounded, withFloor } from "./row.ts";
import { generate, runLoad } from "./sale.ts";
import { workedSeconds } from "./server-work.ts";

const ATTACKER = fileURLToPath(new URL("../support/attacks/attacker.ts", import.meta.url));
/** Tills that sell one sale after the other while the server is attacked: half of them on connections that stay, half on new ones. */
const TILLS = 4;
/** In a window, of each till: 200 sales in all, so that the p99 is the third slowest of them. */
const SALES = 50;
const WARM_UP = 3;
/** Of each till, before anything is measured: the server has compiled what a sale needs. */
const WARM_UP_SALES = 12;
/** The till has given up by then (the platform waits up to nine seconds). */
const LIMIT_MS = 10_000;
/** A bare server under the worst attacks takes seconds for a sale: a window then ends with fewer sales. */
const WINDOW_MS = 60_000;
const SAMPLE_MS = 50;
/** An attack needs a moment to become what it is, and the server one to get rid of what is left of it. */
const SETTLE_MS = 1_500;

const PREFIX = "sale.under-attack.";

interface Window extends Measured {
  peakMb: number;
}

/** Two windows of one server: without the attack and with it. */
interface Pair {
  quiet: Window;
  attacked: Window;
  count: AttackCount;
}

/** The same of Node's own server: attacker, tills and system take their share of the machine there too. */
interface Compared {
  attack: Attack;
  ours: Pair;
  bare: Pair;
}

interface Target {
  base: string;
  pid: number;
}

/**
 * What selling costs while somebody without a key attacks: waits and memory beside those of the same server before. How many times
 * longer the waits become stands beside what becomes of those of Node's own server, which does the work of a sale and nothing else.
 */
export const underAttackBench: Part = {
  prefix: PREFIX,
  async run(note, only): Promise<Row[]> {
    const folder = mkdtempSync(join(tmpdir(), "fiscal-bench-attack-"));
    try {
      const rows: Row[] = [];
      const wanted = only.startsWith(PREFIX) ? only : PREFIX;
      for (const attack of ATTACKS.filter(({ name }) => `${PREFIX}${name}.`.startsWith(wanted))) {
        const compared = await measure(attack, folder);
        note(`${attack.name}: ${inWords(compared.ours)}`);
        note(`${attack.name}, bare server: ${inWords(compared.bare)}`);
        rows.push(...rowsOf(compared));
      }
      return rows;
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

function rowsOf({ attack, ours, bare }: Compared): Row[] {
  const { quiet, attacked } = ours;
  const name = `${PREFIX}${attack.name}`;
  const times = (pair: Pair) => p(pair.attacked, 99) / p(pair.quiet, 99);
  return [
    withFloor({ name: `${name}.p99-times`, value: rounded(times(ours)), unit: "× quiet" }, times(bare)),
    ...[50, 99].map((percent) => withFloor({ name: `${name}.p${percent}`, value: p(attacked, percent), unit: "ms" }, p(quiet, percent))),
    withFloor({ name: `${name}.memory`, value: rounded(attacked.peakMb), unit: "MB" }, quiet.peakMb),
  ];
}

function inWords({ quiet, attacked, count }: Pair): string {
  const of = (window: Window) => `p50 ${p(window, 50)} p99 ${p(window, 99)} ms, ${rounded(window.peakMb)} MB`;
  const lost = attacked.lost + attacked.wrong.length === 0 ? "" : `, ${attacked.lost} lost, wrong: ${attacked.wrong.join("; ")}`;
  return `${of(attacked)}; quiet ${of(quiet)}${lost} ${JSON.stringify(count)}`;
}

/** Each attack has servers of its own: what one leaves behind is not counted against the next. */
async function measure(attack: Attack, folder: string): Promise<Compared> {
  const dataDir = mkdtempSync(join(folder, "data-"));
  const environment = { HOST: "127.0.0.1", PORT: "0", LOG_LEVEL: "info" };
  const server = new ServerProcess({ dataDir, environment, clock: systemClock, detached: false });
  let bare: BareProcess | undefined;
  try {
    await server.start();
    const shop = new Shop();
    await shop.open(server.base);
    await runLoad(folder, { base: server.base, tills: shop.sales(REGISTERS, WARM_UP_SALES), warmUp: 2 });
    const before = await workedSeconds(server.base);
    const quiet = await sell(folder, server, shop);
    const saleMs = (((await workedSeconds(server.base)) - before) * 1000) / (TILLS * (WARM_UP + SALES));
    bare = await BareProcess.start({ publicKey: shop.publicKey, saleMs });
    const bareQuiet = await sell(folder, bare, shop);
    const ours = { quiet, ...(await sellUnder(attack, folder, server, shop)) };
    return { attack, ours, bare: { quiet: bareQuiet, ...(await sellUnder(attack, folder, bare, shop)) } };
  } finally {
    await bare?.end();
    await server.kill();
    rmSync(dataDir, { recursive: true });
  }
}

async function sellUnder(attack: Attack, folder: string, server: Target, shop: Shop): Promise<Pick<Pair, "attacked" | "count">> {
  const target = { port: Number(new URL(server.base).port), registrationId: shop.registrationId, appId: shop.places.appId };
  const attacker = spawn(process.execPath, [ATTACKER, attack.name, JSON.stringify(target)], { stdio: ["ignore", "pipe", "inherit"] });
  const count = lastCount(attacker);
  try {
    await once(attacker.stdout, "data");
    return { attacked: await sell(folder, server, shop), count: count() };
  } finally {
    attacker.kill("SIGKILL");
    await once(attacker, "exit");
  }
}

function lastCount(attacker: ChildProcess): () => AttackCount {
  let text = "";
  attacker.stdout?.on("data", (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-1_000);
  });
  return () => JSON.parse(text.trim().split("\n").at(-1) ?? "") as AttackCount;
}

async function sell(folder: string, server: Target, shop: Shop): Promise<Window> {
  const memory = new MemoryWatch(server.pid);
  const tills = shop.sales(TILLS, WARM_UP + SALES).map((till, index) => ({ ...till, fresh: index % 2 === 1 }));
  const load: Load = { base: server.base, tills, warmUp: WARM_UP, limitMs: LIMIT_MS, endAfterMs: WINDOW_MS };
  await pause(systemClock, SETTLE_MS);
  try {
    return { ...(await generate(folder, load)), peakMb: memory.peakMb };
  } finally {
    memory.close();
  }
}

/** The largest resident size of a process, of many looks. */
class MemoryWatch {
  readonly #pid: number;
  #peakKb = 0;
  #over = false;

  constructor(pid: number) {
    this.#pid = pid;
    void this.#look();
  }

  get peakMb(): number {
    return this.#peakKb / 1024;
  }

  close(): void {
    this.#over = true;
  }

  async #look(): Promise<void> {
    while (!this.#over) {
      const found = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${this.#pid}/status`, "utf8"));
      this.#peakKb = Math.max(this.#peakKb, Number(found?.[1] ?? 0));
      await pause(systemClock, SAMPLE_MS);
    }
  }
}

function p({ latenciesMs }: Measured, percent: number): number {
  return rounded(percentile(latenciesMs, percent));
}
