import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pause, systemClock } from "../../src/kernel/clock.ts";
import { ServerProcess } from "../../src/tools/demo/server-process.ts";
import type { Attack, AttackCount } from "../support/attacks/attack.ts";
import { ATTACKS } from "../support/attacks/table.ts";
import { REGISTERS, Shop } from "./bench-shop.ts";
import type { Load, Measured } from "./load.ts";
import { type Part, percentile, type Row, rounded, withFloor } from "./row.ts";
import { generate, runLoad } from "./sale.ts";

const ATTACKER = fileURLToPath(new URL("../support/attacks/attacker.ts", import.meta.url));
/** Tills that sell one sale after the other while the server is attacked: half of them on connections that stay, half on new ones. */
const TILLS = 4;
/** In a window, of each till: 200 sales in all, so that the p99 is the third slowest of them. */
const SALES = 50;
const WARM_UP = 3;
/** The till has given up by then (the platform waits up to nine seconds). */
const LIMIT_MS = 10_000;
const SAMPLE_MS = 50;
/** An attack needs a moment to become what it is, and the server one to get rid of what is left of it. */
const SETTLE_MS = 1_500;

const PREFIX = "sale.under-attack.";

interface Window extends Measured {
  peakMb: number;
}

/** Two windows of one server: without the attack and with it. */
interface Pair {
  attack: Attack;
  quiet: Window;
  attacked: Window;
  count: AttackCount;
}

/** What selling costs while somebody without a key attacks: waits and memory beside those of the same server before. */
export const underAttackBench: Part = {
  prefix: PREFIX,
  async run(note, only): Promise<Row[]> {
    const folder = mkdtempSync(join(tmpdir(), "fiscal-bench-attack-"));
    try {
      const rows: Row[] = [];
      const wanted = only.startsWith(PREFIX) ? only : PREFIX;
      for (const attack of ATTACKS.filter(({ name }) => `${PREFIX}${name}.`.startsWith(wanted))) {
        const pair = await measure(attack, folder);
        note(inWords(pair));
        rows.push(...rowsOf(pair));
      }
      return rows;
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

function rowsOf({ attack, quiet, attacked }: Pair): Row[] {
  const name = `${PREFIX}${attack.name}`;
  return [
    ...[50, 99].map((percent) => withFloor({ name: `${name}.p${percent}`, value: p(attacked, percent), unit: "ms" }, p(quiet, percent))),
    withFloor({ name: `${name}.memory`, value: rounded(attacked.peakMb), unit: "MB" }, quiet.peakMb),
  ];
}

function inWords({ attack, quiet, attacked, count }: Pair): string {
  const of = (window: Window) => `p50 ${p(window, 50)} p99 ${p(window, 99)} ms, ${rounded(window.peakMb)} MB`;
  const lost = attacked.lost + attacked.wrong.length === 0 ? "" : `, ${attacked.lost} lost, wrong: ${attacked.wrong.join("; ")}`;
  return `${attack.name}: ${of(attacked)}; quiet ${of(quiet)}${lost} ${JSON.stringify(count)}`;
}

/** Each attack has a server of its own: what one leaves behind is not counted against the next. */
async function measure(attack: Attack, folder: string): Promise<Pair> {
  const dataDir = mkdtempSync(join(folder, "data-"));
  const environment = { HOST: "127.0.0.1", PORT: "0", LOG_LEVEL: "info" };
  const server = new ServerProcess({ dataDir, environment, clock: systemClock, detached: false });
  try {
    await server.start();
    const shop = new Shop();
    await shop.open(server.base);
    await runLoad(folder, { base: server.base, tills: shop.sales(REGISTERS, 12), warmUp: 2 });
    const quiet = await sell(folder, server, shop);
    return { attack, quiet, ...(await sellUnder(attack, folder, server, shop)) };
  } finally {
    await server.kill();
    rmSync(dataDir, { recursive: true });
  }
}

async function sellUnder(attack: Attack, folder: string, server: ServerProcess, shop: Shop): Promise<Pick<Pair, "attacked" | "count">> {
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

async function sell(folder: string, server: ServerProcess, shop: Shop): Promise<Window> {
  const memory = new MemoryWatch(server.pid);
  const tills = shop.sales(TILLS, WARM_UP + SALES).map((till, index) => ({ ...till, fresh: index % 2 === 1 }));
  const load: Load = { base: server.base, tills, warmUp: WARM_UP, limitMs: LIMIT_MS };
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
