import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EXTENT, extent } from "../../support/extent.ts";
import type { PaymentMutation } from "./mutation.ts";
import { simulatePayments } from "./simulate.ts";
import { PaymentStorage } from "./storage.ts";

/** The number of seeds, half of them with each kind of bank. `npm run simulate -- --part payment` makes thousands of runs. */
const SEEDS = extent({ short: 2, long: 4 });
/** The number of operations of each till in a run. */
const OPERATIONS = extent({ short: 1, long: 3 });
/** The largest number of seeds before the absence of a safeguard is noticed. */
const SEEDS_TO_FIND_A_MUTATION = 30;
/** Safeguards whose absence is noticed with the first seeds. */
const SOON_FOUND: readonly PaymentMutation[] = ["told-not-stored", "intent-not-stored"];
/** The other safeguards need more runs than a test has time for: `npm run simulate -- --part payment --without NAME`. */
const TRIED = EXTENT === "long" ? SOON_FOUND : [];
/** The number of awaits at which a process dies, spread over a short run. */
const AWAITS = extent({ short: 2, long: 2 });
const TIMEOUT_MS = extent({ short: 120_000, long: 900_000 });
const SHORT = { tills: 1, operations: 1 };

describe("the simulation of QR payments", () => {
  let storage: PaymentStorage;
  beforeAll(async () => {
    storage = await PaymentStorage.open();
  });
  afterAll(() => storage.close());

  it(
    `keeps every promise to buyer, till and bank in ${SEEDS} runs of deaths, silent banks and late money`,
    async () => {
      for (let seed = 1; seed <= SEEDS; seed += 1)
        expect((await simulatePayments(storage, { seed, operations: OPERATIONS })).broken, `seed ${seed}`).toBeUndefined();
    },
    TIMEOUT_MS,
  );

  it(
    "keeps every promise when a process dies at one await after the other",
    async () => {
      const { awaits } = await simulatePayments(storage, { seed: 5, ...SHORT, deaths: { kind: "at", await: 0, fate: "die-before" } });
      const step = Math.max(1, Math.floor(awaits / AWAITS));
      const numbers = Array.from({ length: AWAITS }, (_, nth) => 1 + nth * step).filter((at) => at <= awaits);
      for (const at of numbers) {
        const fate = at % 2 === 0 ? "die-before" : "die-after";
        const run = await simulatePayments(storage, { seed: 5, ...SHORT, deaths: { kind: "at", await: at, fate, again: 1 + (at % 37) } });
        expect(run.broken, `await ${at}`).toBeUndefined();
        expect(run.deaths).toBeGreaterThan(0);
      }
    },
    TIMEOUT_MS,
  );

  it.each(TRIED)(
    "finds out that a safeguard of payments is missing: %s",
    async (mutation) => {
      let found = false;
      for (let seed = 1; seed <= SEEDS_TO_FIND_A_MUTATION && !found; seed += 1)
        found = (await simulatePayments(storage, { seed, mutation })).broken !== undefined;
      expect(found).toBe(true);
    },
    TIMEOUT_MS,
  );

  it(
    "plays the same payments again from the same seed",
    async () => {
      const run = { seed: 11, ...SHORT };
      expect(await simulatePayments(storage, run)).toEqual(await simulatePayments(storage, run));
    },
    TIMEOUT_MS,
  );
});
