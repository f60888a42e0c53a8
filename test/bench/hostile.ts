import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../src/kernel/clock.ts";
import { ServerProcess } from "../../src/tools/demo/processes/server-process.ts";
import { withCrowdedList, withLongList, withLongText, withManyMembers, withNesting } from "../support/hostile/bodies.ts";
import type { Attack } from "./attack.ts";
import { Shop, SMALL_BASKET } from "./bench-shop.ts";
import type { LoadCall, Measured } from "./load.ts";
import { medianRow, type Part, percentile, type Row, rounded, withFloor } from "./row.ts";
import { runLoad } from "./sale.ts";

const ATTACK_PROCESS = fileURLToPath(new URL("attack.ts", import.meta.url));
const CONNECTIONS = 8;
const SEED = 20_261;
/** The number of tills of the account that is measured. Each sells again as soon as it has its receipt. */
const TILLS = 2;
/** Two hundred sales are counted in a window, so the p99 is the third slowest of them. */
const SALES = 100;
const WARM_UP = 10;
/** Windows with the attack and without it follow each other in changing order, so that a busy machine affects both. */
const ROUNDS = 5;

/**
 * The cost of one account for the others. The account sends signed bodies without a pause, on eight connections. The bodies have
 * the largest length and are made to be slow to read. Measured is how long the sales of another account take meanwhile, compared
 * with the time without the attack.
 */
export const hostileBench: Part = {
  prefix: "hostile.",
  async run(note): Promise<Row[]> {
    const folder = mkdtempSync(join(tmpdir(), "fiscal-bench-hostile-"));
    const dataDir = join(folder, "data");
    mkdirSync(dataDir);
    const environment = { HOST: "127.0.0.1", PORT: "0", LOG_LEVEL: "info" };
    const server = new ServerProcess({ dataDir, environment, clock: systemClock, detached: false });
    try {
      await server.start();
      const [shop, attacker] = [new Shop({ tills: TILLS, basket: SMALL_BASKET }), new Shop({ tills: 1, basket: SMALL_BASKET })];
      await shop.open(server.base);
      await attacker.open(server.base);
      const attack: Attack = { base: server.base, connections: CONNECTIONS, calls: hostileSales(attacker), seed: SEED };
      const quiet = () => runLoad(folder, { base: server.base, tills: shop.sales(TILLS, WARM_UP + SALES), warmUp: WARM_UP });
      return await compare(quiet, () => underAttack(folder, attack, quiet), note);
    } finally {
      await server.kill();
      rmSync(folder, { recursive: true });
    }
  },
};

function hostileSales(attacker: Shop): LoadCall[] {
  return [
    attacker.spoiltSale((body) => withLongText(body, ["positions", 0, "marks", 0], "line breaks")),
    attacker.spoiltSale((body) => withLongText(body, ["name"], "blanks")),
    attacker.spoiltSale((body) => withLongText(body, ["unknown"], "quotes")),
    attacker.spoiltSale((body) => withLongList(body, ["positions"], "objects")),
    attacker.spoiltSale((body) => withLongList(body, ["positions", 0, "marks"], "numbers")),
    attacker.spoiltSale((body) => withManyMembers(body, ["unknown"])),
    attacker.spoiltSale((body) => withNesting(body, ["positions"])),
    attacker.spoiltSale((body) =>
      withCrowdedList(body, ["positions", 0, "assortment", "name"], "marks on letters", { length: 150, most: 1_000 }),
    ),
    attacker.spoiltSale((body) => withCrowdedList(body, ["positions", 0, "uom", "name"], "letters", { length: 300, most: 1_000 })),
  ];
}

async function compare(quiet: () => Promise<Measured>, attacked: () => Promise<Measured>, note: (text: string) => void): Promise<Row[]> {
  await quiet();
  const rounds: { quiet: Measured; attacked: Measured }[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const first = round % 2 === 0 ? await attacked() : await quiet();
    const second = round % 2 === 0 ? await quiet() : await attacked();
    const pair = round % 2 === 0 ? { attacked: first, quiet: second } : { quiet: first, attacked: second };
    rounds.push(pair);
    note(`round ${round}: p99 ${p(pair.quiet, 99)} ms, under attack ${p(pair.attacked, 99)} ms (seed ${SEED})`);
  }
  return [50, 99].map((percent) =>
    medianRow(
      rounds.map((pair) =>
        withFloor({ name: `hostile.others-p${percent}`, value: p(pair.attacked, percent), unit: "ms" }, p(pair.quiet, percent)),
      ),
    ),
  );
}

function p({ latenciesMs }: Measured, percent: number): number {
  return rounded(percentile(latenciesMs, percent));
}

async function underAttack(folder: string, attack: Attack, work: () => Promise<Measured>): Promise<Measured> {
  const file = join(folder, "attack.json");
  writeFileSync(file, JSON.stringify(attack));
  const attacker = spawn(process.execPath, [ATTACK_PROCESS, file], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    if (attacker.stdout === null) throw new Error("the attacker has no output");
    await once(attacker.stdout, "data");
    return await work();
  } finally {
    await end(attacker);
  }
}

async function end(attacker: ChildProcess): Promise<void> {
  const ended = once(attacker, "exit");
  attacker.kill("SIGKILL");
  await ended;
}
