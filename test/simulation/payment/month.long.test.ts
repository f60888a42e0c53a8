import { describe, expect, it } from "vitest";
import { extent, sample } from "../../support/extent.ts";
import { playMonth } from "./month.ts";

/** `npm run simulate -- --month` plays thirty days at each bank. */
const DAYS = extent({ short: 1, long: 2 });
const PAYMENTS = extent({ short: 10, long: 30 });
const LIMIT_MS = extent({ short: 120_000, long: 400_000 });

describe("days of generated payments", () => {
  it.each(sample(["tbank", "yookassa"] as const, 1))(
    "reconcile to zero with %s, whatever trouble the bank has",
    async (bank) => {
      const { payments, done, rejected, unmade, differenceKopecks, wrong } = await playMonth({
        seed: 3,
        bank,
        days: DAYS,
        payments: PAYMENTS,
      });
      expect(wrong).toEqual([]);
      expect(differenceKopecks).toBe(0);
      expect(done + rejected + unmade).toBe(payments);
      expect(done).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );
});
