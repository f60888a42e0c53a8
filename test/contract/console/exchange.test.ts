import { describe, expect, it, onTestFinished } from "vitest";
import { DeviceExchanges } from "../../../src/journal/exchanges.ts";
import { silentLog } from "../../../src/kernel/log.ts";
import { type ExchangeStep, MOST_STEPS } from "../../../src/model/device/exchange.ts";
import { consoleScene } from "../../support/console-scene.ts";
import { openMemoryStore } from "../../support/memory-store.ts";
import { Trial } from "../../support/registers.ts";
import { shtrihBench } from "../../support/shtrih-m-bench.ts";
import { saleOperation, Till } from "../../support/till.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const DAY_MS = 86_400_000;
const STEP: ExchangeStep = { command: "state", atMs: Date.UTC(2026, 10, 13), tookMs: 12, code: "0" };

async function kept() {
  const clock = new VirtualClock(STEP.atMs);
  const store = await openMemoryStore({ clock });
  onTestFinished(() => store.close());
  return { clock, store, exchanges: new DeviceExchanges({ store, clock, log: silentLog }) };
}

describe("the exchange with a device", () => {
  it("stands in the story of its operation by the names, times and codes of its commands, without their bytes", async () => {
    let told: (step: ExchangeStep) => void = () => {};
    const trial = await Trial.on((clock) => shtrihBench(clock, { exchanged: (step) => told(step) }));
    let exchanges: DeviceExchanges | undefined;
    const till = await Till.open({
      trial,
      exchanges: {
        begin(register, attempt) {
          told = (step) => exchanges?.note(register, step);
          return exchanges?.begin(register, attempt) ?? (() => {});
        },
      },
    });
    exchanges = new DeviceExchanges({ store: till.store, clock: trial.clock, log: silentLog });
    await till.openShift();
    await till.submitAndWait(saleOperation("sale-1"));
    await exchanges.close();
    const entry = (await till.journal.list({ documentId: "sale-1", limit: 1 }))[0];
    const [attempt] = await exchanges.of(entry?.id ?? 0);
    expect(attempt?.attempt).toBe(1);
    expect(attempt?.steps.length).toBeGreaterThan(3);
    expect(attempt?.steps.every(({ code }) => code === "0")).toBe(true);
    expect(Object.keys(attempt?.steps[0] ?? {}).toSorted()).toEqual(["atMs", "code", "command", "tookMs"]);
    const browser = (await consoleScene(till)).browser();
    await browser.logIn();
    const { text } = await browser.get("/operations/sale-1");
    expect(text).toContain("data-exchange");
    for (const { command } of attempt?.steps ?? []) expect(text).toContain(`<td>${command}</td>`);
  });

  it("is kept to a bounded number of commands an attempt, and only while an attempt runs", async () => {
    const { exchanges } = await kept();
    exchanges.note("a", STEP);
    const ended = exchanges.begin("a", { id: 1, attempt: 2 });
    for (let number = 0; number < 2 * MOST_STEPS; number += 1) exchanges.note("a", STEP);
    exchanges.note("b", STEP);
    ended();
    exchanges.note("a", STEP);
    await exchanges.close();
    expect((await exchanges.of(1)).map(({ attempt, steps }) => [attempt, steps.length])).toEqual([[2, MOST_STEPS]]);
  });

  it("is written within seconds and forgotten after 30 days", async () => {
    const { exchanges, clock, store } = await kept();
    exchanges.start();
    const ended = exchanges.begin("a", { id: 1, attempt: 1 });
    exchanges.note("a", STEP);
    ended();
    await clock.advance(2_000);
    expect(await exchanges.of(1)).toEqual([{ attempt: 1, steps: [STEP] }]);
    await exchanges.close();
    const looked = async () => {
      const later = new DeviceExchanges({ store, clock, log: silentLog });
      later.start();
      await later.close();
      return later.of(1);
    };
    await clock.advance(29 * DAY_MS);
    expect(await looked()).toHaveLength(1);
    await clock.advance(2 * DAY_MS);
    expect(await looked()).toEqual([]);
  });

  it("may be lost with its database, and nobody is told of it but the log", async () => {
    const { exchanges, store } = await kept();
    const ended = exchanges.begin("a", { id: 1, attempt: 1 });
    exchanges.note("a", STEP);
    await store.commit((tx) => tx.schema.dropTable("device_exchanges").execute());
    ended();
    await expect(exchanges.close()).resolves.toBeUndefined();
  });
});
