import { beforeEach, describe, expect, it } from "vitest";
import { nextTurn } from "../../src/kernel/clock.ts";
import { LoyaltyConnections } from "../../src/loyalty/connection/connections.ts";
import type { LoyaltyConnection } from "../../src/platform/vendor/loyalty.ts";
import { Leases } from "../../src/store/lease.ts";
import { LOYALTY_KEY, LoyaltyBench } from "../support/loyalty-bench.ts";
import { LoyaltyContract, recalc } from "../support/loyalty-contract.ts";

type Told = { how: "PUT" | "PATCH" } & Partial<LoyaltyConnection>;

let bench: LoyaltyBench;
let till: LoyaltyContract;
let told: Told[];
let answer: { kind: "connected" } | { kind: "unreachable"; reason: string; sent: boolean };
let connections: LoyaltyConnections;
let address: string | undefined;

beforeEach(async () => {
  bench = await LoyaltyBench.open();
  till = await LoyaltyContract.open(bench);
  told = [];
  answer = { kind: "connected" };
  address = "https://fiscal.shop.example/loyalty";
  const { store, clock } = bench;
  const take = (how: Told["how"]) => async (_id: object, change: Partial<LoyaltyConnection>) => {
    told.push({ how, ...change });
    return answer as never;
  };
  connections = new LoyaltyConnections({
    ...bench.services,
    keys: bench.keys,
    leases: new Leases({ store, clock, chance: bench.services.chance, leaseMs: 30_000 }),
    vendor: { connectLoyalty: take("PUT"), changeLoyalty: take("PATCH") },
    url: () => address,
    externalSearch: async (key) => (await store.read((db) => bench.programmes.current(db, key))).programme.externalSearch,
  });
});

/** Lets seconds pass. Before each the database gets the time for a query. */
async function passing(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    await bench.clock.advance(1_000);
  }
}

describe("a programme that is switched on", () => {
  it("is told to the platform once, with a key that counts before it is sent", async () => {
    expect(await connections.tell(LOYALTY_KEY)).toEqual({ kind: "connected" });
    expect(told).toMatchObject([{ how: "PUT", url: address, externalSearch: false }]);
    till.key = told[0]?.token?.reveal() ?? "";
    expect((await till.post("/retaildemand/recalc", recalc())).status).toBe(200);
    await connections.tell(LOYALTY_KEY);
    expect(told).toHaveLength(1);
  });

  it("is told again when its search changes, and with a new key after another installation", async () => {
    await connections.tell(LOYALTY_KEY);
    await bench.programme({ externalSearch: true });
    await connections.tell(LOYALTY_KEY);
    expect(told[1]).toEqual({ how: "PATCH", externalSearch: true });
    await bench.store.commit((tx) =>
      tx
        .updateTable("installations")
        .set({ updated_at_ms: bench.clock.nowMs() + 1 })
        .execute(),
    );
    await connections.tell(LOYALTY_KEY);
    expect(told[2]).toMatchObject({ how: "PUT", externalSearch: true });
    expect(told[2]?.token?.reveal()).not.toBe(told[0]?.token?.reveal());
  });

  it("leaves the key before it valid for ten minutes", async () => {
    await connections.tell(LOYALTY_KEY);
    const before = told[0]?.token?.reveal() ?? "";
    await connections.tell(LOYALTY_KEY, true);
    await bench.clock.advance(599_000);
    expect((await till.post("/retaildemand/recalc", recalc(), { key: before })).status).toBe(200);
    await bench.clock.advance(1_000);
    expect((await till.post("/retaildemand/recalc", recalc(), { key: before })).status).toBe(401);
    expect((await till.post("/retaildemand/recalc", recalc(), { key: told[1]?.token?.reveal() ?? "" })).status).toBe(200);
  });

  it("is told by itself, again with growing pauses while the platform is away", async () => {
    answer = { kind: "unreachable", reason: "refused", sent: false };
    connections.start();
    await passing(120);
    expect(told.length).toBeGreaterThanOrEqual(4);
    expect(told.length).toBeLessThanOrEqual(6);
    expect((await connections.said(LOYALTY_KEY))?.said).toContain("cannot be reached");
    answer = { kind: "connected" };
    await passing(600);
    expect(await connections.said(LOYALTY_KEY)).toEqual({ state: "connected", said: null });
    await connections.close();
  });

  it("is told again five seconds after the first failure, and ten seconds after the second", async () => {
    answer = { kind: "unreachable", reason: "refused", sent: false };
    connections.start();
    await passing(4);
    expect(told).toHaveLength(1);
    await passing(4);
    expect(told).toHaveLength(2);
    await passing(6);
    expect(told).toHaveLength(2);
    await passing(5);
    expect(told).toHaveLength(3);
    await connections.close();
  });

  it("waits while nobody knows the server's address", async () => {
    address = undefined;
    expect(await connections.tell(LOYALTY_KEY)).toEqual({ kind: "no-address" });
    expect(told).toEqual([]);
  });

  it("is told by one of two that tell at once", async () => {
    const results = await Promise.all([connections.tell(LOYALTY_KEY), connections.tell(LOYALTY_KEY)]);
    expect(told.length).toBeLessThanOrEqual(2);
    expect(results.some(({ kind }) => kind === "connected")).toBe(true);
    till.key = told.at(-1)?.token?.reveal() ?? "";
    expect((await till.post("/retaildemand/recalc", recalc())).status).toBe(200);
  });
});

describe("a programme that is off, or whose installation is gone", () => {
  it("is not told, and the keys of an uninstalled account are refused", async () => {
    await bench.store.commit((tx) => tx.updateTable("settings").set({ value: "off" }).execute());
    expect(await connections.tell(LOYALTY_KEY)).toEqual({ kind: "not-wanted" });
    await bench.store.commit((tx) => tx.updateTable("settings").set({ value: "on" }).execute());
    await bench.store.commit((tx) => tx.updateTable("installations").set({ state: "uninstalled" }).execute());
    expect(await connections.tell(LOYALTY_KEY)).toEqual({ kind: "not-wanted" });
    expect((await till.post("/retaildemand/recalc", recalc())).status).toBe(401);
  });
});
