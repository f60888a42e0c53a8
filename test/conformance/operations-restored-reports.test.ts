import { describe, expect, it } from "vitest";
import { sample } from "../support/extent.ts";
import { SCHEMES } from "../support/registers.ts";
import { Shop } from "../support/restored-shop.ts";

describe.each(sample(SCHEMES.slice(0, 2), 1))("a lost report of a shift in which known sales of another shift stand, %s", (scheme) => {
  /** A shop in which the opening of shift 1 came first while another shift was open. */
  async function openedLater(scheme: string, before: string): Promise<Shop> {
    const shop = await Shop.open(scheme);
    await shop.copy();
    expect(await shop.make(`open ${before}`, "open 1", `close ${before}`)).toEqual(["open-shift 2", expect.any(String), "close-shift 3"]);
    expect(await shop.repeat("open 1")).toBe("open-shift 4");
    expect(await shop.make("sale 1")).toEqual(["receipt 5"]);
    return shop;
  }

  it.each(["B2", "2"])("is not the opening of a shift that is open and has sales: before it %s was open", async (before) => {
    const shop = await openedLater(scheme, before);
    await shop.restore();
    expect(await shop.repeat("sale 1")).toBe("receipt 5");
    expect(await shop.repeat("open 1")).toBe("open-shift 4");
    expect(await shop.make("sale 1 b", "close 1")).toEqual(["receipt 6", "close-shift 7"]);
    expect((await shop.till.trial.state()).shift.kind).toBe("closed");
  });

  it.each(["B2", "2"])("nor of a shift that was closed since: before it %s was open", async (before) => {
    const shop = await openedLater(scheme, before);
    expect(await shop.make("close 1")).toEqual(["close-shift 6"]);
    await shop.restore();
    expect(await shop.repeat("sale 1")).toBe("receipt 5");
    expect(await shop.repeat("open 1")).toBe("open-shift 4");
    expect(await shop.repeat("close 1")).toBe("close-shift 6");
    expect(await shop.till.documents()).toBe(6);
  });

  it("is not the opening or closing of a shift without sales", async () => {
    const shop = await Shop.open(scheme);
    await shop.copy();
    expect(await shop.make("open 1", "sale 1", "open 2", "close 1")).toEqual([
      "open-shift 2",
      "receipt 3",
      "shift-already-open",
      "close-shift 4",
    ]);
    await shop.restore();
    expect(await shop.repeat("sale 1")).toBe("receipt 3");
    expect(await shop.make("close 2")).toEqual(["shift-closed"]);
    expect(await shop.repeat("open 2")).toBe("open-shift 5");
    expect([await shop.repeat("open 1"), await shop.repeat("close 1")]).toEqual(["open-shift 2", "close-shift 4"]);
    expect(await shop.till.documents()).toBe(5);
  });
});
