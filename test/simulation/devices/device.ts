import type { Register } from "../../../src/registers/register.ts";
import type { Life } from "../life.ts";
import type { LaboratoryDrive } from "./laboratory.ts";

/** A register of the simulated world, with any protocol. It outlives the server's processes. */
export interface SimulatedDevice {
  /** The address that a point of sale has in its settings. */
  readonly address: string;
  readonly drive: LaboratoryDrive;
  /** Whether the device opens a shift by itself when it gets the first receipt. */
  readonly opensShifts: boolean;
  /** The driver with which a process of the server uses the device. */
  registerOf(life: Life): Register;
  /** Moves the device's clock, as a weak battery or a person does. */
  jumpClock(byMs: number): void;
  /** Puts an earlier copy of the drive in, which lacks so many documents. A document that is made in this copy is a fault of the server. */
  putBack(documents: number): Promise<void>;
  /** Puts the right drive in again. */
  putRight(): Promise<void>;
  /** Restores power, cable and paper once nothing may go wrong any more. It is called again and again. */
  tend(): void;
  /** Called when the run is over. */
  end?(): Promise<void>;
}
