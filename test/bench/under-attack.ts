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
/** Tills that sell one sale after the other while the server is attacked: half of them on kept connections, half on new ones. */
const TILLS = 4;
/** The sales of each till in a window: 200 in all, so that the p99 is the third slowest of them. */
const SALES = 50;
const WARM_UP = 3;
/** The sales of each till before anything is measured. After them the server has compiled the code of a sale. */
const WARM_UP_SALES = 12;
/** After this time a till has given up (the platform waits up to nine seconds). */
const LIMIT_MS = 10_000;
/** The longest window. Under the worst attacks a bare server takes seconds for a sale, so such a window has fewer sales. */
const WINDOW_MS = 60_000;
const SAMPLE_MS = 50;
/** The pause before a window. An attack needs a moment to grow, and the server a moment to recover from the one before. */
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

/** The windows of the server, and those of Node's own server, where attacker, tills and system use a part of the machine too. */
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
 * The cost of sales while somebody without a key attacks: waits and memory, compared with those of the same server before. The
 * growth of the waits is shown beside the growth at Node's own server, which does only the work of a sale.
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

/** Each attack has servers of its own, so that the traces of one do not count for the next. */
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

/** The largest resident size of a process in many readings. */
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
