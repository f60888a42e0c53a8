import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EXTENT, sample } from "../support/extent.ts";
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
/** Requests of the least table that `npm test` sends. */
const SHORT_COUNT = 40;

/** Of so many characters in each of so many positions at most: a long body, and one that is just short enough to be read at once. */
const LONG_NAMES = [
  [250, 1_000],
  [250, 80],
  [250, 300],
  [1_000, 1_000],
] as const;
const BODY_BYTES = 1024 * 1024 - 2_000;

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
      const cases = [...hostileCases(shop, EXTENT === "long" ? "short" : "least")];
      for (const { name, call } of sample(cases, SHORT_COUNT)) {
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

  /** Characters that the drive lacks, each spelled in another way: a fraction, a syllable, letters with marks, signs, emoji. */
  const FOREIGN = ["½", "가", "ﷺ", "Ⅷ", "ﬃ", "㎏", "é", "٣", "א", "漢", "😀", "µ", "👩\u200d👧"];

  it.each(EXTENT === "long" ? FOREIGN : FOREIGN.slice(0, 1))(
    `stays below ${BOUND_MS} ms when every position has long names of characters that the drive lacks: %s`,
    async (character) => {
      const [body] = shop.bodies.filter(({ name }) => name === "retaildemand");
      const stops: string[] = [];
      for (const [length, most] of EXTENT === "long" ? LONG_NAMES : LONG_NAMES.slice(0, 2)) {
        const name = character.repeat(Math.floor(length / character.length));
        const sale = body?.example() as { positions: { assortment: object }[] };
        const [first] = sale.positions;
        const position = { ...first, assortment: { ...first?.assortment, name } };
        const fits = Math.floor(BODY_BYTES / (Buffer.byteLength(JSON.stringify(position)) + 1)) - 1;
        const bytes = Buffer.from(JSON.stringify({ ...sale, positions: Array(Math.min(most, fits)).fill(position) }));
        const made = shop.saleCall(bytes);
        const { cpuMs, allowedMs, result } = await longestTurnWithin(BOUND_MS, TRIES, () => shop.send(made));
        if (cpuMs >= allowedMs) stops.push(`${most} of ${length}: ${cpuMs} ms, and ${allowedMs} ms are allowed on this machine`);
        if (result.status >= 500) stops.push(`${result.status} ${result.text}`);
      }
      expect(stops).toEqual([]);
    },
    TIME_LIMIT_MS,
  );
});
