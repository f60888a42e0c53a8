import type { Register } from "../../../src/registers/register.ts";
import type { Life } from "../life.ts";
import type { LaboratoryDrive } from "./laboratory.ts";

/** A register of the simulated world, whatever its protocol: it outlives the server's processes. */
export interface SimulatedDevice {
  /** As a point of sale is bound to it. */
  readonly address: string;
  readonly drive: LaboratoryDrive;
  /** Whether it opens a shift by itself on the way to the first receipt. */
  readonly opensShifts: boolean;
  /** What a process of the server drives it with. */
  registerOf(life: Life): Register;
  /** Moves its clock, as its battery or somebody at it does. */
  jumpClock(byMs: number): void;
  /** Puts an earlier copy of its drive in, which lacks so many documents; what is made in that is a fault of the server's. */
  putBack(documents: number): Promise<void>;
  /** Puts its own drive in again. */
  putRight(): Promise<void>;
  /** Nothing goes wrong any more: power, cable and paper are there. Called again and again. */
  tend(): void;
  /** The run is over. */
  end?(): Promise<void>;
}
