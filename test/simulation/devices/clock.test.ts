import { describe, expect, it } from "vitest";
import { deadlineIn } from "../../../src/kernel/deadline.ts";
import { wallTimeAt } from "../../../src/kernel/moment.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";
import { Life } from "../life.ts";
import { SeededChance } from "../seeded-chance.ts";
import { CALM } from "../troubles.ts";
import type { SimulatedDevice } from "./device.ts";
import { SimulatedEmulator } from "./emulator.ts";
import { SimulatedShtrih } from "./shtrih-m.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const STEP_MS = 100;
const ZONE = "Europe/Moscow";
const MINUTE_LENGTH = 16;

describe.each([
  ["emulator", SimulatedEmulator],
  ["shtrih-m", SimulatedShtrih],
] as const)("the clock of a simulated device, %s", (_name, kind) => {
  const clock = new VirtualClock(Date.UTC(2026, 10, 13, 6));

  async function settled<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const over = work.finally(() => {
      isOver = true;
    });
    while (!isOver) await clock.advance(STEP_MS);
    return over;
  }

  async function begun(): Promise<SimulatedDevice> {
    return settled<SimulatedDevice>(kind.begin({ clock, chance: new SeededChance(1), zone: ZONE, troubles: () => CALM }));
  }

  /** The minutes on the device's clock and on the till's clock. */
  async function minutes(device: SimulatedDevice): Promise<[string | undefined, string]> {
    const seen = await settled(device.registerOf(new Life(() => "live")).inspect(deadlineIn(clock, MINUTE_MS)));
    const till = wallTimeAt(clock.nowMs() + device.drive.clockOffsetMs, ZONE);
    return [seen.kind === "reached" ? seen.value.time.slice(0, MINUTE_LENGTH) : undefined, till.slice(0, MINUTE_LENGTH)];
  }

  it("has jumped by all jumps since the last command, as the till's clock has", async () => {
    const device = await begun();
    device.jumpClock(HOUR_MS);
    device.jumpClock(-MINUTE_MS);
    expect(await minutes(device)).toEqual(["2026-11-13 09:59", "2026-11-13 09:59"]);
  });

  it("keeps a jump while another copy of the drive is put in", async () => {
    const device = await begun();
    device.jumpClock(HOUR_MS);
    await settled(device.putBack(1));
    await settled(device.putRight());
    const [own, till] = await minutes(device);
    expect(own).toBe(till);
  });
});
