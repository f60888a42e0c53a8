import { expect, it } from "vitest";
import { SharedReadings } from "../../../../src/web/settings/shared-readings.ts";
import { VirtualClock } from "../../../support/virtual-clock.ts";

const LASTS_MS = 150;

function readings() {
  const clock = new VirtualClock(0);
  const shared = new SharedReadings<number>(clock, { lastsMs: LASTS_MS });
  let count = 0;
  const read = async () => {
    count += 1;
    return count;
  };
  return { clock, shared, read };
}

it("a reading is shared by all who ask for the same soon after, also while it runs, and not longer", async () => {
  const { clock, shared, read } = readings();
  expect(await Promise.all([shared.of("one", read), shared.of("one", read), shared.of("other", read)])).toEqual([1, 1, 2]);
  await clock.advance(LASTS_MS - 1);
  expect(await shared.of("one", read)).toBe(1);
  await clock.advance(1);
  expect(await shared.of("one", read)).toBe(3);
  expect(await shared.of("other", read)).toBe(4);
});

it("a failed reading is told to those who wait for it and to nobody after them", async () => {
  const { shared, read } = readings();
  const fail = () => Promise.reject(new Error("the database is away"));
  const asked = [shared.of("one", fail), shared.of("one", read)];
  expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await shared.of("one", read)).toBe(1);
});
