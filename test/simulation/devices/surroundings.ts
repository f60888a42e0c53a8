import type { VirtualClock } from "../../support/virtual-clock.ts";
import type { SeededChance } from "../seeded-chance.ts";
import type { Troubles } from "../troubles.ts";

/** The things of the world that every simulated device uses. */
export interface DeviceSurroundings {
  clock: VirtualClock;
  chance: SeededChance;
  zone: string;
  troubles(): Troubles;
}
