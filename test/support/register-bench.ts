import type { Chance } from "../../src/kernel/clock.ts";
import type { Register } from "../../src/registers/register.ts";
import type { VirtualDevice } from "../../src/registers/virtual/device.ts";

export const ZONE = "Europe/Moscow";

/** Not random: returns the same bytes every time. */
export const sameChance: Chance = {
  bytes: (count) => Buffer.alloc(count, 7),
  uuid: () => "00000000-0000-4000-8000-000000000000",
};

/** A register under test and the device at its far end. */
export interface Bench {
  register: Register;
  device: VirtualDevice;
  /** Whether the protocol carries seconds. Some protocols state times to the minute, as drives keep them. */
  seconds: boolean;
  /** Ends the register and opens a new one with the same drive, as a restart of the program does. */
  restart(): Promise<Bench>;
  /** Lets hours pass without the work that the register does every second. */
  passHours?(pass: () => Promise<void>): Promise<void>;
}
