import type { RegisterState } from "../../register.ts";
import type { KnownDevice } from "../identity/identity.ts";
import type { Connection } from "../session/connection.ts";
import type { Hourly } from "./hourly.ts";
import type { Opening } from "./opening.ts";
import type { Performed } from "./performed.ts";
import type { ShiftCounts } from "./shift-counts.ts";
import type { View } from "./view.ts";

/**
 * The values that the driver remembers about the device between calls. This class never asks the device. `keep` methods
 * store values that were read. `forget` methods drop values that are no longer certain.
 */
export class DeviceMemory {
  #known: KnownDevice | undefined;
  #view: View | undefined;
  #opening: Opening | undefined;
  #hourly: Hourly | undefined;
  #counts: ShiftCounts | undefined;
  /** The cash in the drawer as `inspect` last reported it, until a document is made. A checkpoint may contain this value. */
  #reportedDrawerKopecks: number | undefined;
  /** The drive that `inspect` last reported. Documents are registered only in this drive. */
  #reportedDriveNumber: string | undefined;

  get known(): KnownDevice | undefined {
    return this.#known;
  }

  /** Returns the last inspection of the device; undefined when something may have changed since. */
  get view(): View | undefined {
    return this.#view;
  }

  get opening(): Opening | undefined {
    return this.#opening;
  }

  get hourly(): Hourly | undefined {
    return this.#hourly;
  }

  /** Returns the device that was identified over this opening of the link. After another opening another device may be there. */
  knownOver({ isOpen, openings }: Connection): KnownDevice | undefined {
    return isOpen && this.#known?.openings === openings ? this.#known : undefined;
  }

  /** Forgets the device: another device, or another drive, may be at the end of the link. */
  forgetDevice(): void {
    this.#known = undefined;
    this.#view = undefined;
  }

  keepDevice(known: KnownDevice): void {
    this.#known = known;
  }

  /**
   * Forgets the last inspection, because the device may change now. The next call inspects the device again, unless the document itself
   * shows the new state.
   */
  forgetView(): void {
    this.#view = undefined;
  }

  /** Keeps the inspection. When a document is open, it is not kept, so that the next call inspects the device again. */
  keepView(view: View, { documentOpen }: RegisterState): void {
    this.#opening = view.opening ?? this.#opening;
    this.#view = documentOpen ? undefined : view;
  }

  keepOpening(opening: Opening): void {
    this.#opening = opening;
  }

  /** Keeps the values that are read once an hour, and the device with its present settings. */
  keepHourly({ hourly, known }: { hourly: Hourly; known: KnownDevice }): void {
    this.#hourly = hourly;
    this.#known = known;
  }

  /** Returns the counts of the shift, if the register gave them before the shift was closed. */
  countsOf(shiftNumber: number): ShiftCounts | undefined {
    return this.#counts?.shiftNumber === shiftNumber ? this.#counts : undefined;
  }

  /** Keeps the state that `inspect` reported. `undefined`: the device could not be reached. */
  keepReported(state: RegisterState | undefined): void {
    this.#reportedDrawerKopecks = state?.drawerKopecks;
    if (state !== undefined) this.#reportedDriveNumber = state.driveNumber;
  }

  /** Returns the reported cash in the drawer. It is returned only once, because the document that begins now may change it. */
  takeReportedDrawer(): number | undefined {
    const reported = this.#reportedDrawerKopecks;
    this.#reportedDrawerKopecks = undefined;
    return reported;
  }

  /** Whether `inspect` last reported another drive. */
  reportedOtherDrive(driveNumber: string): boolean {
    return this.#reportedDriveNumber !== undefined && this.#reportedDriveNumber !== driveNumber;
  }

  /** Keeps the values that are known after a document. */
  keepPerformed({ view, opening, counts, known }: Performed): void {
    this.#view = view;
    this.#opening = opening ?? this.#opening;
    this.#counts = counts ?? this.#counts;
    this.#known = known ?? this.#known;
  }
}
