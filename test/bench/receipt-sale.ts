import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/kernel/clock.ts";
import { ServerProcess } from "../../src/tools/demo/processes/server-process.ts";
import { REGISTERS, Shop } from "./bench-shop.ts";
import { medianRow, type Row, withFloor } from "./row.ts";
import { floorOf, perSecond, runLoad } from "./sale.ts";

/** Each round sells at both servers and in the bare loop, one directly after the other. */
const ROUNDS = 3;
const SALES = { ours: 15, plain: 5 } as const;
const WARM_UP = 3;

/**
 * The signed sale over HTTP at 16 registers. It is compared with a server that only draws its receipts in the plain way
 * (how many times faster), and with the floor of the sale with today's drawing.
 */
export async function plainSaleRows(note: (text: string) => void): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "fiscal-bench-receipt-"));
  const plainly = `--import=${new URL("plain-drawing.ts", import.meta.url).href}`;
  const ours = new Till(join(folder, "ours"), {});
  const plain = new Till(join(folder, "plain"), { NODE_OPTIONS: plainly });
  try {
    await ours.open();
    await plain.open();
    const rounds: { plain: Row & { ratio: number }; floor: Row & { ratio: number } }[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const rate = await ours.sell(SALES.ours);
      const plainRate = await plain.sell(SALES.plain);
      const floorRate = 1000 / (await ours.floorMs(round));
      note(`16 registers: ${rate}/s, drawn plainly ${plainRate}/s, floor ${Math.round(floorRate)}/s`);
      const row = (beside: string) => ({ name: `receipt.sale-16-registers.${beside}`, value: rate, unit: "sales/s" });
      rounds.push({ plain: withFloor(row("beside-plain"), plainRate), floor: withFloor(row("beside-floor"), floorRate) });
    }
    return [medianRow(rounds.map((round) => round.plain)), medianRow(rounds.map((round) => round.floor))];
  } finally {
    await ours.close();
    await plain.close();
    rmSync(folder, { recursive: true });
  }
}

/** A server with a shop of sixteen registers. */
class Till {
  readonly #folder: string;
  readonly #server: ServerProcess;
  readonly #shop = new Shop();

  constructor(folder: string, environment: Record<string, string>) {
    this.#folder = folder;
    mkdirSync(folder);
    this.#server = new ServerProcess({
      dataDir: join(folder, "data"),
      environment: { HOST: "127.0.0.1", PORT: "0", LOG_LEVEL: "info", ...environment },
      clock: systemClock,
      detached: false,
    });
  }

  async open(): Promise<void> {
    await this.#server.start();
    await this.#shop.open(this.#server.base);
  }

  /** The number of sales a second. */
  async sell(sales: number): Promise<number> {
    const load = { base: this.#server.base, tills: this.#shop.sales(REGISTERS, WARM_UP + sales), warmUp: WARM_UP };
    return perSecond(await runLoad(this.#folder, load));
  }

  async floorMs(round: number): Promise<number> {
    return (await floorOf(this.#folder, this.#server.dataDir, this.#shop, round)).ms;
  }

  async close(): Promise<void> {
    await this.#server.kill();
  }
}
