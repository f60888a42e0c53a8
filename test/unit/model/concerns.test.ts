import { describe, expect, it } from "vitest";
import { concernsOf, type Reserves } from "../../../src/model/concerns.ts";

const only = (reserves: Reserves) => {
  const concerns = concernsOf(reserves);
  expect(concerns.length).toBeLessThan(2);
  return concerns[0];
};

/** Returns the crossed bound and its weight, as "1 stops-soon". 0: no bound is crossed. */
const judged = (reserves: Reserves) => {
  const concern = only(reserves);
  return concern === undefined ? 0 : `${concern.bound} ${concern.weight}`;
};

describe("concerns", () => {
  it("has no concern about a register of which nothing is known", () => {
    expect(concernsOf({})).toEqual([]);
  });

  it.each<[Reserves, string | 0]>([
    [{ keyDays: 30 }, 0],
    [{ keyDays: 29.9 }, "1 stops-soon"],
    [{ keyDays: 7 }, "1 stops-soon"],
    [{ keyDays: 6.9 }, "2 stops-soon"],
    [{ keyDays: 2.9 }, "3 stops-soon"],
    [{ keyDays: 0 }, "4 stops-now"],
    [{ keyDays: -20 }, "4 stops-now"],
    [{ keysExpireSoon: true }, "1 stops-soon"],
    [{ keysExpireSoon: true, keysExpireNow: true }, "3 stops-soon"],
    // By the date the keys are valid for more than a year, but the drive warns.
    [{ keyDays: 400, keysExpireSoon: true }, "1 stops-soon"],
    [{ documentsLeft: 10_000 }, 0],
    [{ documentsLeft: 9_999 }, "1 stops-soon"],
    [{ documentsLeft: 1_999 }, "2 stops-soon"],
    [{ documentsLeft: 0 }, "3 stops-now"],
    [{ memoryFull: true }, "1 stops-soon"],
    [{ documentsLeft: 100_000, memoryFull: true }, "1 stops-soon"],
    [{ queueDays: 2.9, unsent: 4, operatorTimeout: true }, 0],
    [{ queueDays: 3, unsent: 4 }, "1 stops-soon"],
    [{ queueDays: 10, unsent: 4 }, "2 stops-soon"],
    [{ queueDays: 20, unsent: 4 }, "3 stops-soon"],
    [{ queueDays: 30, unsent: 4 }, "4 stops-now"],
    [{ operatorTimeout: true }, "1 stops-soon"],
    [{ shiftHours: 19.9 }, 0],
    [{ shiftHours: 20 }, "1 stops-soon"],
    [{ shiftHours: 23 }, "2 stops-soon"],
    [{ shiftHours: 24 }, "3 stops-now"],
    [{ shiftHours: 2, shiftExpired: true }, "3 stops-now"],
    [{ clockAheadMinutes: 2.9 }, 0],
    [{ clockAheadMinutes: 3 }, "1 stops-soon"],
    [{ clockAheadMinutes: -3 }, "1 stops-soon"],
    [{ clockAheadMinutes: 5 }, "2 stops-now"],
    [{ clockAheadMinutes: -600 }, "2 stops-now"],
    [{ clockAheadMinutes: 421, zoneKnown: false }, "1 stops-soon"],
    [{ clockAheadMinutes: 430, zoneKnown: false }, "2 stops-now"],
    [{ clockAheadMinutes: 2, zoneKnown: false }, 0],
  ])("judges %j as bound %s", (reserves, expected) => {
    expect(judged(reserves)).toBe(expected);
  });

  it("believes the drive's own warning over a count that sees no end", () => {
    const words = (reserves: Reserves) => concernsOf(reserves).map((one) => one.words);
    expect(words({ documentsLeft: 249_999, memoryFull: true })).toEqual([
      "The memory of the fiscal drive is nearly full, and the drive itself warns of it.",
    ]);
    expect(words({ documentsLeft: 1_500, memoryFull: true })).toEqual([
      "The memory of the fiscal drive has room for 1500 documents, and the drive itself warns of it.",
    ]);
  });

  it("says in words what there is and what to do", () => {
    expect(concernsOf({ keyDays: 6.5, documentsLeft: 1, queueDays: 12.2, unsent: 1, shiftHours: 23.5, clockAheadMinutes: -4 })).toEqual([
      expect.objectContaining({
        about: "drive-keys",
        words: "The keys of the fiscal drive end in 6 days.",
        remedy: "Replace the drive before that day.",
      }),
      expect.objectContaining({ about: "drive-memory", words: "The memory of the fiscal drive has room for 1 document." }),
      expect.objectContaining({
        about: "queue",
        words: "1 document has waited for the data operator for 12 days; receipts stop in 18 days.",
      }),
      expect.objectContaining({ about: "shift", words: "The shift is open for 23 hours; receipts stop at 24." }),
      expect.objectContaining({
        about: "clock",
        words: "The register's clock is 4 minutes behind the server's; five minutes are the limit.",
      }),
    ]);
  });
});
