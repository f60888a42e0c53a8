import { describe, expect, it } from "vitest";
import type { Clock } from "../../src/kernel/clock.ts";
import { sample } from "../support/extent.ts";
import { ABSENCES, emulatorLane, type LaneDevice, LaneShop, pass, shtrihLane } from "../support/lanes.ts";
import { MORNING_MS, once } from "../support/registers.ts";
import { textOf } from "../support/till.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

/** The server promises that a register is in service again within this time, without a person. */
const RETURN_MS = 5_000;
/** Longer than any operation at a register that is away. */
const TROUBLE_MS = 20_000;

const WAYS: [string, (clock: Clock) => Promise<LaneDevice>][] = [
  ["an emulator without power", emulatorLane],
  ...ABSENCES.map((absence): (typeof WAYS)[number] => [`a register that is ${absence}`, (clock) => shtrihLane(clock, absence)]),
];

async function opened(make: (clock: Clock) => Promise<LaneDevice>) {
  const clock = new VirtualClock(MORNING_MS);
  const device = await make(clock);
  const shop = await LaneShop.open(clock, { shop: device });
  const ended = async <T>(work: Promise<T>) => {
    await pass(clock, TROUBLE_MS);
    return work;
  };
  expect(textOf(await ended(shop.openShift("shop")))).toBe("open-shift");
  return { clock, device, shop, ended };
}

describe.each(sample(WAYS, 2))("%s", (_, make) => {
  it("is known to be reachable within five seconds of its return, and sells at once, though nobody asked meanwhile", async () => {
    const { clock, device, shop, ended } = await opened(make);
    // The register comes back at different moments of an inspection.
    for (const [number, awayMs] of sample([0, 700, 1_300, 2_100, 2_900, 3_700, 600_000], 2).entries()) {
      device.goAway();
      expect(textOf(await ended(shop.sell("shop", `lost-${number}`)))).toBe("register-unreachable");
      await pass(clock, awayMs);
      expect(shop.seen("shop")?.unreachable).toBeDefined();
      device.comeBack();
      await pass(clock, RETURN_MS);
      expect(shop.seen("shop")?.unreachable).toBeUndefined();
      const sale = shop.sell("shop", `sale-${number}`);
      await pass(clock, 200);
      expect(await shop.stateOf("shop", `sale-${number}`)).toBe("done");
      expect(textOf(await sale)).toBe("receipt");
    }
  });

  it("sells at once when it was gone and back before anybody noticed", async () => {
    const { clock, device, shop } = await opened(make);
    device.goAway();
    await pass(clock, 60_000);
    device.comeBack();
    const sale = shop.sell("shop", "sale");
    await pass(clock, RETURN_MS);
    expect(textOf(await sale)).toBe("receipt");
  });

  // The emulator answers at once that it has no power, so no operation waits for it.
  it.skipIf(make === emulatorLane)("goes on within five seconds with the operations that wait for it", async () => {
    const { clock, device, shop } = await opened(make);
    device.goAway();
    const sales = [1, 2, 3].map((number) => shop.sell("shop", `sale-${number}`));
    await pass(clock, 1_000);
    device.comeBack();
    await pass(clock, RETURN_MS);
    expect(await Promise.all([2, 3].map((number) => shop.stateOf("shop", `sale-${number}`)))).toEqual(["done", "done"]);
    await pass(clock, TROUBLE_MS);
    await Promise.all(sales);
  });
});

describe.each([
  ["an emulator", emulatorLane],
  ["a register on a cable", (clock: Clock) => shtrihLane(clock, "frozen")],
] as const)("a sale in doubt on %s", (_, make) => {
  // The register comes back at different moments of a question.
  it.each(sample([60_000, 62_500, 65_000, 67_500, 70_000], 2))(
    "is settled within five seconds of the return after %i ms, by itself",
    async (awayMs) => {
      const { clock, device, shop, ended } = await opened(make);
      device.device.setFaults({ after: once("receipt", { kind: "power-cut" }) });
      expect(["in-doubt", "running"]).toContain(textOf(await ended(shop.sell("shop", "sale"))));
      await pass(clock, awayMs);
      expect(await shop.stateOf("shop", "sale")).toBe("in-doubt");
      device.device.powerOn();
      await pass(clock, RETURN_MS);
      expect(await shop.stateOf("shop", "sale")).toBe("done");
    },
  );
});
