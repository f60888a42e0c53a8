import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/model/operation.ts";
import { sample } from "../support/extent.ts";
import { SCHEMES } from "../support/registers.ts";
import { Shop } from "../support/restored-shop.ts";
import { textOf } from "../support/till.ts";

/** The number of orders of repeats that `npm test` tries, of five or six. */
const SHORT_COUNT = 2;

function permutations<T>(of: readonly T[]): T[][] {
  if (of.length < 2) return [[...of]];
  return of.flatMap((first, at) => permutations(of.filter((_, other) => other !== at)).map((rest) => [first, ...rest]));
}

/** Some of many orders, with the original order and its reverse among them. */
function orders(of: readonly string[]): string[][] {
  const openingsFirst = of.toSorted((a, b) => b.slice(0, 1).localeCompare(a.slice(0, 1)));
  return [[...of], of.toReversed(), openingsFirst, openingsFirst.toReversed(), [...of.slice(2), ...of.slice(0, 2)]];
}

describe.each(sample(SCHEMES.slice(0, 2).toReversed(), 1))("shifts that a restored copy lacks, %s", (scheme) => {
  it("are opened once also when the first repeat was refused and comes again behind the closing", async () => {
    const shop = await Shop.open(scheme);
    await shop.make("open 1");
    await shop.copy();
    await shop.make("close 1", "open 2");
    await shop.restore();
    shop.withheld.add(3).add(4);
    expect(await shop.repeat("open 2")).toBe("register-unreachable");
    shop.withheld.clear();
    expect(await shop.repeat("close 1")).toBe("close-shift 3");
    expect(await shop.make("close 2")).toEqual(["close-shift 5"]);
    expect(await shop.repeat("open 2")).toBe("open-shift 4");
    expect(await shop.till.documents()).toBe(5);
  });

  it.each(sample(permutations(["close 1", "open 2", "sale 2"]), SHORT_COUNT).map((order) => [order.join(", "), order] as const))(
    "are closed and opened once, whichever repeat comes first: %s",
    async (_names, order) => {
      const shop = await Shop.open(scheme);
      await shop.make("open 1", "sale 1");
      await shop.copy();
      await shop.make("close 1", "open 2", "sale 2");
      await shop.restore();
      await shop.repeatAll(order);
      expect(await shop.make("close 2", "open 3", "sale 3")).toEqual(["close-shift 7", "open-shift 8", "receipt 9"]);
    },
  );

  const further = ["close 1", "open 2", "sale 2", "close 2", "open 3", "close 3", "open 4"];
  it.each(sample(orders(further), SHORT_COUNT).map((order) => [order.join(", "), order] as const))(
    "are closed and opened once where the register has gone on for several: %s",
    async (_names, order) => {
      const shop = await Shop.open(scheme);
      await shop.make("open 1", "sale 1");
      await shop.copy();
      await shop.make(...further);
      await shop.restore();
      await shop.repeatAll(order);
      expect(await shop.make("sale 4", "close 4")).toEqual(["receipt 11", "close-shift 12"]);
    },
  );

  const all = ["open 1", "sale 1", "close 1", "open 2", "sale 2", "close 2"];
  it.each(sample(orders(all), SHORT_COUNT).map((order) => [order.join(", "), order] as const))(
    "are closed and opened once where the copy has none of them, and the register is closed: %s",
    async (_names, order) => {
      const shop = await Shop.open(scheme);
      await shop.copy();
      await shop.make(...all);
      await shop.restore();
      await shop.repeatAll(order);
      expect(await shop.make("open 3", "close 3")).toEqual(["open-shift 8", "close-shift 9"]);
    },
  );

  it("are not another account's whose till opened its own meanwhile, once a sale was found in them", async () => {
    const shop = await Shop.open(scheme);
    await shop.copy();
    expect(await shop.make("open 1", "sale 1", "open B1", "close 1")).toEqual([
      "open-shift 2",
      "receipt 3",
      "shift-foreign",
      "close-shift 4",
    ]);
    await shop.restore();
    expect(await shop.repeat("sale 1")).toBe("receipt 3");
    expect(await shop.repeat("open B1")).toBe("open-shift 5");
    expect(await shop.make("close B1")).toEqual(["close-shift 6"]);
    expect([await shop.repeat("open 1"), await shop.repeat("close 1")]).toEqual(["open-shift 2", "close-shift 4"]);
  });

  it("do not keep new ones from being opened and closed before the repeats come", async () => {
    const shop = await Shop.open(scheme);
    await shop.make("open 1");
    await shop.copy();
    await shop.make("close 1", "open 2", "close 2");
    await shop.restore();
    expect(await shop.make("open 3", "sale 3")).toEqual(["open-shift 6", "receipt 7"]);
    await shop.repeatAll(["close 1", "open 2", "close 2"]);
    await shop.till.killAndRestart();
    expect(await shop.make("close 3")).toEqual(["close-shift 8"]);
  });

  it("are not acted on while the drive cannot tell, and end once it can", async () => {
    const shop = await Shop.open(scheme);
    await shop.make("open 1");
    await shop.copy();
    await shop.make("close 1", "open 2");
    await shop.restore();
    shop.withheld.add(3).add(4);
    expect(await shop.repeat("close 1")).toBe("register-unreachable");
    expect(await shop.till.documents()).toBe(4);
    shop.withheld.clear();
    await shop.repeatAll(["close 1", "open 2"]);
  });

  it("are each account's own where two share the register", async () => {
    const shop = await Shop.open(scheme);
    await shop.make("open 1");
    await shop.copy();
    await shop.make("close 1", "open B1", "sale B1");
    await shop.restore();
    await shop.repeatAll(["open B1", "close 1", "sale B1"]);
    expect(await shop.make("close B1", "open 2")).toEqual(["close-shift 6", "open-shift 7"]);
  });

  it("are closed and opened once where the server may open them by itself", async () => {
    const shop = await Shop.open(scheme, { shiftOpening: "automatic" });
    await shop.make("sale 1");
    await shop.copy();
    await shop.make("close 1", "sale 2");
    await shop.restore();
    await shop.repeatAll(["close 1", "sale 2"]);
    expect(await shop.make("close 2")).toEqual(["close-shift 7"]);
  });
});

/** Longer than a device's shift may last. The server closes it and opens the next one before a sale. */
const DAY_MS = 25 * 3_600_000;

describe.each(sample(SCHEMES.slice(0, 2), 1))("a shift that lasted over several of the device's, %s", (scheme) => {
  const names = ["open 2", "sale 2", "sale 2 b", "sale 2 c", "close 2"];

  it.each([names, names.toReversed(), ["sale 2 c", ...names], ["sale 2 b", "open 2", ...names]].map((order) => [order.join(", "), order]))(
    "was opened by the till's own report, also for a restored copy: %s",
    async (_, order) => {
      const shop = await Shop.open(scheme, { shiftOpening: "automatic" });
      await shop.make("open 1", "sale 1", "close 1");
      await shop.copy();
      await shop.make("open 2", "sale 2");
      await shop.till.trial.later(DAY_MS);
      await shop.make("sale 2 b");
      await shop.till.trial.later(DAY_MS);
      await shop.make("sale 2 c");
      expect(await shop.make("close 2")).toEqual(["close-shift 13"]);
      await shop.restore();
      await shop.repeatAll(order as string[]);
    },
  );

  it("was opened by the till's own report, where the server has closed the device's shift since the copy was restored", async () => {
    const shop = await Shop.open(scheme, { shiftOpening: "automatic" });
    await shop.make("open 1", "sale 1", "close 1");
    await shop.copy();
    await shop.make("open 2", "sale 2");
    await shop.restore();
    await shop.till.trial.later(DAY_MS);
    await shop.make("sale 2 b", "close 2");
    await shop.repeatAll(["open 2", "sale 2", "sale 2 b", "close 2"]);
  });
});

describe.each(sample(SCHEMES.slice(0, 2), 1))("a shift that is open, and of which a restored copy lacks everything, %s", (scheme) => {
  it.each(["platform", "automatic"] as const)(
    "is not adopted by the account's next opening: its sales and its closing go on, then the next opens (%s)",
    async (shiftOpening) => {
      const shop = await Shop.open(scheme, { shiftOpening });
      await shop.copy();
      await shop.make(...(shiftOpening === "platform" ? ["open 1", "sale 1", "sale 1 b"] : ["sale 1", "sale 1 b"]));
      await shop.restore();
      expect(await shop.make("open 2")).toEqual(["shift-already-open"]);
      expect(await shop.repeat("sale 1 b")).toBe("receipt 4");
      expect(await shop.repeat("open 2")).toBe("shift-already-open");
      expect(await shop.repeat("sale 1")).toBe("receipt 3");
      expect(await shop.make("sale 1 c", "close 1")).toEqual(["receipt 5", "close-shift 6"]);
      expect(await shop.repeat("open 2")).toBe("open-shift 7");
      expect(await shop.make("sale 2", "close 2")).toEqual(["receipt 8", "close-shift 9"]);
    },
  );

  it("is not adopted by an opening of the same minutes either, once one of its sales was found", async () => {
    const shop = await Shop.open(scheme);
    await shop.copy();
    await shop.make("open 1", "sale 1");
    const opened = shop.sent.get("open 1");
    if (opened === undefined) throw new Error("nothing was opened");
    await shop.restore();
    expect(await shop.repeat("sale 1")).toBe("receipt 3");
    const shift = { id: "shift-2", idType: "native" } as const;
    const second = { ...opened.operation, document: shift, shift, name: "shift-2" } as Operation;
    expect(textOf(await shop.till.submitAndWait(second))).toBe("shift-already-open");
    expect(await shop.repeat("open 1")).toBe("open-shift 2");
  });

  it("is adopted anew by its own opening where it was opened at the register long before, once one of its sales was found", async () => {
    const shop = await Shop.open(scheme);
    await shop.byHand("open-shift");
    await shop.copy();
    expect(await shop.make("open 1", "sale 1")).toEqual(["open-shift 2", "receipt 3"]);
    await shop.restore();
    expect(await shop.repeat("open 1")).toBe("shift-already-open");
    expect(await shop.repeat("sale 1")).toBe("receipt 3");
    expect(await shop.repeat("open 1")).toBe("open-shift 2");
    expect(await shop.make("close 1")).toEqual(["close-shift 4"]);
  });

  it("opens no further shift where the repeat of its opening comes behind its closing", async () => {
    const shop = await Shop.open(scheme);
    await shop.byHand("open-shift");
    await shop.copy();
    await shop.make("open 1", "sale 1");
    await shop.restore();
    expect(await shop.repeat("sale 1")).toBe("receipt 3");
    expect(await shop.make("close 1")).toEqual(["close-shift 4"]);
    expect(await shop.repeat("open 1")).toBe("open-shift 2");
    expect((await shop.till.trial.state()).shift.kind).toBe("closed");
  });
});

describe.each(SCHEMES.slice(0, 2))("a shift that somebody closed at the register itself, %s", (scheme) => {
  it("ends with that report for the platform, and no other shift is closed for it", async () => {
    const shop = await Shop.open(scheme);
    await shop.make("open 1");
    await shop.byHand("close-shift");
    expect(await shop.make("close 1")).toEqual(["close-shift 3"]);
    expect(await shop.make("open 2")).toEqual(["open-shift 4"]);
    await shop.byHand("close-shift");
    await shop.byHand("open-shift");
    expect(await shop.make("close 2")).toEqual(["close-shift 5"]);
    expect((await shop.till.trial.state()).shift).toMatchObject({ kind: "open", number: 3 });
  });

  it("leaves the one that was opened there to the platform's next: it is adopted, or closed", async () => {
    const shop = await Shop.open(scheme);
    await shop.byHand("open-shift");
    await shop.byHand("close-shift");
    await shop.byHand("open-shift");
    expect(await shop.make("close 1")).toEqual(["close-shift 5"]);
    await shop.byHand("open-shift");
    expect(await shop.make("open 2", "sale 2", "close 2")).toEqual(["open-shift 6", "receipt 7", "close-shift 8"]);
    await shop.byHand("open-shift");
    await shop.byHand("close-shift");
    expect(await shop.make("open 3")).toEqual(["open-shift 11"]);
  });
});
