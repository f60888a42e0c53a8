import { describe, expect, it } from "vitest";
import type { Clock } from "../../src/kernel/clock.ts";
import { extent, sample } from "../support/extent.ts";
import { ABSENCES, emulatorLane, type LaneDevice, LaneShop, pass, shtrihLane } from "../support/lanes.ts";
import { MORNING_MS, once } from "../support/registers.ts";
import { textOf } from "../support/till.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

/** The faults of the one register, once its shift is open. */
const TROUBLES: [string, (clock: Clock) => Promise<LaneDevice>, (device: LaneDevice) => void][] = [
  ["an emulator that is slow", emulatorLane, slow],
  ["an emulator without power", emulatorLane, (device) => device.goAway()],
  ["a register that is slow", (clock) => shtrihLane(clock, "frozen"), slow],
  ...ABSENCES.map((absence): (typeof TROUBLES)[number] => [
    `a register that is ${absence}`,
    (clock) => shtrihLane(clock, absence),
    (device) => device.goAway(),
  ]),
];
const SLOW_MS = 5_000;
/** How long the other registers sell. It is longer than a slow operation takes. */
const SECONDS = extent({ short: 7, long: 20 });
const OTHERS = ["others-1", "others-2", "others-3"];

function slow({ device }: LaneDevice): void {
  device.setFaults({ before: () => ({ kind: "wait", forMs: SLOW_MS }) });
}

async function openedWith(make: (clock: Clock) => Promise<LaneDevice>) {
  const clock = new VirtualClock(MORNING_MS);
  const devices: Record<string, LaneDevice> = { troubled: await make(clock) };
  for (const other of OTHERS) devices[other] = await shtrihLane(clock, "unplugged", other);
  const shop = await LaneShop.open(clock, devices);
  const shifts = Object.keys(devices).map((storeId) => shop.openShift(storeId));
  await pass(clock, 1_000);
  expect((await Promise.all(shifts)).map(textOf)).toEqual(shifts.map(() => "open-shift"));
  return { clock, shop, devices };
}

describe.each(sample(TROUBLES, 2))("beside %s", (_, make, trouble) => {
  it("the others sell without a millisecond of waiting, before, behind and between its operations", async () => {
    const { clock, shop, devices } = await openedWith(make);
    if (devices.troubled !== undefined) trouble(devices.troubled);
    const troubled = [1, 2, 3].map((number) => shop.sell("troubled", `sale-${number}`));
    for (let second = 0; second < SECONDS; second += 1) {
      const beganMs = clock.monotonicMs();
      const sales = OTHERS.map((storeId) => shop.sell(storeId, `sale-${second}`));
      await atOnce(clock, Promise.all(sales));
      expect((await Promise.all(sales)).map(textOf)).toEqual(OTHERS.map(() => "receipt"));
      expect(clock.monotonicMs() - beganMs).toBe(0);
      await pass(clock, 1_000);
    }
    await pass(clock, 60_000);
    for (const sale of troubled) expect(["receipt", "running", "register-unreachable"]).toContain(textOf(await sale));
  });
});

describe("a doubt that lasts on one register", () => {
  it.each(sample([60_000, 63_000, 66_000, 69_000], 2))(
    "does not keep another's from ending within five seconds of a return after %i ms",
    async (awayMs) => {
      const { clock, shop, devices } = await openedWith((of) => shtrihLane(of, "frozen"));
      const { troubled, "others-1": other } = devices;
      if (troubled === undefined || other === undefined) throw new Error("no devices");
      for (const { device } of [troubled, other]) device.setFaults({ after: once("receipt", { kind: "power-cut" }) });
      const sales = [shop.sell("troubled", "sale"), shop.sell("others-1", "sale")];
      await pass(clock, awayMs);
      await Promise.all(sales);
      expect(await shop.stateOf("others-1", "sale")).toBe("in-doubt");
      other.device.powerOn();
      await pass(clock, 5_000);
      expect([await shop.stateOf("troubled", "sale"), await shop.stateOf("others-1", "sale")]).toEqual(["in-doubt", "done"]);
    },
  );
});

/** Waits until the work has ended, only by turns of the event loop. No time passes. */
async function atOnce(clock: VirtualClock, work: Promise<unknown>): Promise<void> {
  let ended = false;
  const end = () => {
    ended = true;
  };
  work.then(end, end);
  for (let turns = 0; turns < 2_000 && !ended; turns += 1) await clock.advance(0);
}
