import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EXTENT } from "../support/extent.ts";
import { longestTurnWithin } from "../support/hostile/longest-turn.ts";
import { HostileShop } from "../support/hostile/shop.ts";
import { hostileCases } from "../support/hostile/table.ts";

/**
 * The tills of all accounts share one event loop: longer than this none of them may be kept waiting by one request. On a slower
 * machine the bound is longer in proportion, and at most four times as long.
 */
const BOUND_MS = 50;
/** A request that takes longer is sent again: collection of garbage, or code that runs for the first time, is not its fault. */
const TRIES = 6;
/** Some hundred requests of a megabyte, each signed and answered. Every field with every fill: `npm run bench -- --only stops`. */
const TIME_LIMIT_MS = 120_000;

let shop: HostileShop;
beforeAll(async () => {
  shop = await HostileShop.open();
});
afterAll(() => shop.close());

describe("the longest stop of the event loop", () => {
  it(
    `stays below ${BOUND_MS} ms whatever stands in any field of any contract, in a header or a path`,
    async () => {
      const stops: string[] = [];
      const faults: string[] = [];
      for (const { name, call } of hostileCases(shop, EXTENT === "long" ? "short" : "least")) {
        const made = call();
        const { cpuMs, allowedMs, result } = await longestTurnWithin(BOUND_MS, TRIES, () => shop.send(made));
        if (cpuMs >= allowedMs) stops.push(`${name}: ${cpuMs} ms, and ${allowedMs} ms are allowed on this machine`);
        if (result.status >= 500) faults.push(`${name}: ${result.status} ${result.text}`);
      }
      expect(stops).toEqual([]);
      expect(faults).toEqual([]);
    },
    TIME_LIMIT_MS,
  );
});
