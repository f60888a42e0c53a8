import { describe, expect, it } from "vitest";
import { EXTENT } from "../../support/extent.ts";
import { NewestPlayer, PLAYED_DRIVERS, type PlayedDriver } from "./player.ts";

const HISTORIES = EXTENT === "long" ? 40 : 1;
const STEPS = 40;
const TIME_LIMIT_MS = EXTENT === "long" ? 1_800_000 : 60_000;

describe.each(Object.keys(PLAYED_DRIVERS) as PlayedDriver[])("operations that are refused and repeated all the time, %s", (driver) => {
  it(
    "are each made once, under one number, whatever the drive and the database forget",
    async () => {
      for (let seed = 1; seed <= HISTORIES; seed += 1) {
        const player = await NewestPlayer.begin(seed, driver);
        for (let step = 0; step < STEPS; step += 1) await player.step();
        player.end();
        expect(player.faults, `seed ${seed}:\n${player.history.join("\n")}`).toEqual([]);
      }
    },
    TIME_LIMIT_MS,
  );
});
