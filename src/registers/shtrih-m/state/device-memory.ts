import type { RegisterState } from "../../register.ts";
import type { KnownDevice } from "../identity/identity.ts";
import type { Connection } from "../session/connection.ts";
import type { Hourly } from "./hourly.ts";
import type { Opening } from "./opening.ts";
import type { Performed } from "./performed.ts";
import type { ShiftCounts } from "./shift-counts.ts";
import type { View } from "./view.ts";

/**
 * What the driver remembers about the device between calls. This class never asks the device. `keep` methods store read values. `forget`
 * methods drop uncertain values.
 */
export class DeviceMemory {
  #known: KnownDevice | undefined;
  #view: View | undefined;
  #opening: Opening | undefined;
  #hourly: Hourly | undefined;
  #counts: ShiftCounts | undefined;
  /**
   * The drawer's cash in the last `inspect`, until the next `perform`. Undefined when that `inspect` did not reach the device. A checkpoint
   * may contain this value.
   */
  #reportedDrawerKopecks: number | undefined;
  /** The drive in the last `inspect` that reached the device. Documents are registered only in this drive. */
  #reportedDriveNumber: string | undefined;

  get known(): KnownDevice | undefined {
    return this.#known;
  }

  /** The last inspection. Undefined: there is none, or something may have changed since. */
  get view(): View | undefined {
    return this.#view;
  }

  get opening(): Opening | undefined {
    return this.#opening;
  }

  get hourly(): Hourly | undefined {
    return this.#hourly;
  }

  /** Returns the device of this opening of the link. After another opening the link may lead to a different device. */
  knownOver({ isOpen, openings }: Connection): KnownDevice | undefined {
    return isOpen && this.#known?.openings === openings ? this.#known : undefined;
  }

  /** Forgets the device: the device or its drive may have been exchanged. */
  forgetDevice(): void {
    this.#known = undefined;
    this.#view = undefined;
  }

  keepDevice(known: KnownDevice): void {
    this.#known = known;
  }

  /**
   * Forgets the last inspection, because the device may change now. The next call inspects again, unless the document itself shows the new
   * state.
   */
  forgetView(): void {
    this.#view = undefined;
  }

  /** Keeps the inspection. An inspection with an open document is not kept, so that the next call inspects again. */
  keepView(view: View, { documentOpen }: RegisterState): void {
    this.#opening = view.opening ?? this.#opening;
    this.#view = documentOpen ? undefined : view;
  }

  keepOpening(opening: Opening): void {
    this.#opening = opening;
  }

  keepHourly({ hourly, known }: { hourly: Hourly; known: KnownDevice }): void {
    this.#hourly = hourly;
    this.#known = known;
  }

  /** Returns the counts of the shift, if they were read before it was closed. */
  countsOf(shiftNumber: number): ShiftCounts | undefined {
    return this.#counts?.shiftNumber === shiftNumber ? this.#counts : undefined;
  }

  /** Keeps the state of `inspect`. `undefined`: the device was unreachable. */
  keepReported(state: RegisterState | undefined): void {
    this.#reportedDrawerKopecks = state?.drawerKopecks;
    if (state !== undefined) this.#reportedDriveNumber = state.driveNumber;
  }

  /** Returns the reported cash once, because the document that begins now may change it. */
  takeReportedDrawer(): number | undefined {
    const reported = this.#reportedDrawerKopecks;
    this.#reportedDrawerKopecks = undefined;
    return reported;
  }

  reportedOtherDrive(driveNumber: string): boolean {
    return this.#reportedDriveNumber !== undefined && this.#reportedDriveNumber !== driveNumber;
  }

  keepPerformed({ view, opening, counts, known }: Performed): void {
    this.#view = view;
    this.#opening = opening ?? this.#opening;
    this.#counts = counts ?? this.#counts;
    this.#known = known ?? this.#known;
  }
}
