import type { RegisterDocument } from "../../model/document.ts";
import type { DriveCode } from "./refusals.ts";

export type DeviceCommand = RegisterDocument["kind"] | "state" | "stored";

/**
 * Faults that a device may have. A test or an option replaces some members. The other members stay as in `NO_FAULTS`. The members are
 * called again for each command.
 */
export interface Faults {
  /** Called before the command is carried out: nothing is registered yet. */
  before(command: DeviceCommand): Before;
  /** Called after the command was carried out and is on disk. */
  after(command: DeviceCommand): After;
  /** Returns the error of the device's clock in milliseconds. */
  clockOffsetMs(): number;
  /** Returns the days until the drive's keys expire. `days`: the real number. */
  keyDays(days: number): number;
  /** Returns the used share of the drive's memory. `share`: the real share; 1 is full. */
  memoryUsed(share: number): number;
  /** Whether the shift counts as too long. `expired`: whether it really is. */
  shiftExpired(expired: boolean): boolean;
  /** Returns tag 1206: the message of the data operator, as bits. 0: no message. */
  operatorMessage(): number;
  /** Returns how long documents wait for the data operator's confirmation: 0 confirms at once, Infinity never. */
  operatorDelayMs(): number;
}

export type Before =
  | { kind: "go-on" }
  | { kind: "refuse"; code: DriveCode }
  | { kind: "wait"; forMs: number }
  | { kind: "paper-out" }
  /** The device is off until it is switched on again. */
  | { kind: "power-cut" };

export type After =
  | { kind: "go-on" }
  | { kind: "lose-reply" }
  | { kind: "wait"; forMs: number }
  /** The slip stays half printed. What is registered stays registered. */
  | { kind: "paper-out" }
  | { kind: "power-cut" };

export const NO_FAULTS: Faults = {
  before: () => ({ kind: "go-on" }),
  after: () => ({ kind: "go-on" }),
  clockOffsetMs: () => 0,
  keyDays: (days) => days,
  memoryUsed: (share) => share,
  shiftExpired: (expired) => expired,
  operatorMessage: () => 0,
  operatorDelayMs: () => 0,
};
