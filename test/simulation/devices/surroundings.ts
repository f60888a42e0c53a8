import type { VirtualClock } from "../../support/virtual-clock.ts";
import type { SeededChance } from "../seeded-chance.ts";
import type { Troubles } from "../troubles.ts";

/** What every simulated device stands in. */
export interface DeviceSurroundings {
  clock: VirtualClock;
  chance: SeededChance;
  zone: string;
  troubles(): Troubles;
}
