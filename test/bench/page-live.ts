import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pause, systemClock } from "../../src/kernel/clock.ts";
import { PLATFORM_NAMES } from "../../src/tools/sandbox/caller/names.ts";
import { EMPLOYEE } from "../support/sandbox.ts";
import { CREDENTIAL, type WindowScene, windowScene } from "../support/window-scene.ts";
import { Shop, SMALL_BASKET } from "./bench-shop.ts";
import { median, medianRow, percentile, type Row, rounded, withFloor } from "./row.ts";
import { runLoad } from "./sale.ts";

/** The number of open pages of points of sale. Each asks for the state of its register as often as `settings/state-section.ts` says. */
const PAGES = 20;
const POLL_MS = 700;
const TILLS = 4;
const SALES = 60;
const WARM_UP = 5;
const ROUNDS = 5;

/** Sales of a server with open settings pages, compared with the same sales without them. */
export async function liveRows(note: (text: string) => void): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "fiscal-bench-live-"));
  const scene = await windowScene({ development: true });
  try {
    const shop = new Shop({ tills: TILLS, basket: SMALL_BASKET, solution: { ...CREDENTIAL, names: PLATFORM_NAMES.canonical } });
    await shop.open(scene.base);
    const pages = await Promise.all(Array.from({ length: PAGES }, () => OpenPage.open(scene)));
    const sell = async () => {
      const tills = shop.sales(TILLS, WARM_UP + SALES);
      return (await runLoad(folder, { base: scene.base, tills, warmUp: WARM_UP })).latenciesMs;
    };
    await sell();
    const rounds: { p50: ReturnType<typeof withFloor>; p99: ReturnType<typeof withFloor> }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const quiet = await sell();
      for (const page of pages) page.live();
      const live = await sell();
      await Promise.all(pages.map((page) => page.rest()));
      const row = (percent: number) =>
        withFloor(
          { name: `page.live.sale.p${percent}`, value: rounded(percentile(live, percent)), unit: "ms" },
          percentile(quiet, percent),
        );
      rounds.push({ p50: row(50), p99: row(99) });
    }
    const waits = pages.flatMap(({ waitsMs }) => waitsMs);
    note(`${waits.length} readings of the state, each after ${rounded(median(waits))} ms, ${rounded(percentile(waits, 99))} ms at p99`);
    return [medianRow(rounds.map(({ p50 }) => p50)), medianRow(rounds.map(({ p99 }) => p99))];
  } finally {
    await scene.close();
    rmSync(folder, { recursive: true });
  }
}

/** An open page of a point of sale, which asks for the register's state again and again. */
class OpenPage {
  readonly waitsMs: number[] = [];
  readonly #address: string;
  readonly #session: string;
  #living: Promise<void> = Promise.resolve();
  #isOpen = false;

  private constructor(address: string, session: string) {
    this.#address = address;
    this.#session = session;
  }

  static async open({ sandbox, base, appId }: WindowScene): Promise<OpenPage> {
    const context = await fetch(`${sandbox.base}/sandbox/context/${EMPLOYEE.login}`, { method: "POST" });
    const { token } = (await context.json()) as { token: string };
    const begun = await fetch(`${base}/settings/session`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Origin: base },
      body: JSON.stringify({ appId, language: "ru", token }),
    });
    if (!begun.ok) throw new Error(`the session was answered ${begun.status}`);
    const { session } = (await begun.json()) as { session: string };
    const stores = await (await fetch(`${base}/settings/stores`, { headers: { Authorization: `Bearer ${session}` } })).text();
    const path = /\/settings\/stores\/[0-9a-f-]{36}/.exec(stores)?.[0];
    if (path === undefined) throw new Error("the page names no point of sale");
    return new OpenPage(`${base}${path}/state`, session);
  }

  live(): void {
    this.#isOpen = true;
    this.#living = this.#poll();
  }

  async rest(): Promise<void> {
    this.#isOpen = false;
    await this.#living;
  }

  async #poll(): Promise<void> {
    while (this.#isOpen) {
      const beganMs = systemClock.monotonicMs();
      const answer = await fetch(this.#address, { headers: { Authorization: `Bearer ${this.#session}` } });
      await answer.arrayBuffer();
      if (answer.status >= 400) throw new Error(`the state was answered ${answer.status}`);
      this.waitsMs.push(systemClock.monotonicMs() - beganMs);
      await pause(systemClock, POLL_MS);
    }
  }
}
