import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EXTENT, sample } from "../support/extent.ts";
import { longestTurnWithin, TRIES } from "../support/hostile/longest-turn.ts";
import { HostileShop } from "../support/hostile/shop.ts";
import { hostileCases } from "../support/hostile/table.ts";

/**
 * The longest turn of the event loop by one request. The tills of all accounts share one event loop, and all of them wait
 * meanwhile. On a slower machine the bound is longer in proportion, at most four times as long.
 */
const BOUND_MS = 50;
/**
 * The time limit of some hundred requests of a megabyte, each signed and answered. `npm run bench -- --only stops` tries every
 * field with every fill.
 */
const TIME_LIMIT_MS = 600_000;
/** How many requests of the smallest table `npm test` sends. */
const SHORT_COUNT = 40;

/** Names of so many characters in so many positions. Some bodies are long, and one is just short enough to be read in one step. */
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

  /**
   * Characters that the drive lacks, each of which is replaced in another way: a fraction, a syllable, letters with marks,
   * signs, emoji.
   */
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

  /**
   * Codes with many places at which a separator may begin or end. None of them can be read in the first way that is tried.
   */
  const STRANGE_CODES = [
    ["no code", (serial: string) => `${serial.slice(-5)}${"(10a".repeat(80)}`],
    ["a readable code", (serial: string) => `${serial}=1d91abcd=1d92${"(10a".repeat(80)}`],
  ] as const;

  it.each(STRANGE_CODES)(
    `stays below ${BOUND_MS} ms when each of a thousand positions has a marking code with many strange characters: %s`,
    async (_, codeOf) => {
      const [body] = shop.bodies.filter(({ name }) => name === "retaisalesreturn");
      const code = (nth: number) => `${`010460043993125621${codeOf(String(nth).padStart(13, "a"))}`.slice(0, 299)}~`;
      const bytesOf = (begin: number) => {
        const example = body?.example() as { positions: object[] };
        const [first] = example.positions;
        const positions = Array.from({ length: 1_000 }, (__, at) => ({ ...first, quantity: 1, marks: [code(begin + at)] }));
        return Buffer.from(JSON.stringify({ ...example, positions }));
      };
      const calls = Array.from({ length: TRIES }, (__, nth) => body?.call(bytesOf(nth * 1_000)));
      const { cpuMs, allowedMs, result } = await longestTurnWithin(BOUND_MS, TRIES, async () => {
        const call = calls.pop();
        return call === undefined ? undefined : shop.send(call);
      });
      expect(result?.text).toContain("too large for the register");
      expect(cpuMs).toBeLessThan(allowedMs);
    },
    TIME_LIMIT_MS,
  );
});
