import type { RegisterDocument } from "../../model/document.ts";
import type { DriveCode } from "./refusals.ts";

export type DeviceCommand = RegisterDocument["kind"] | "state" | "stored";

/**
 * Where a real device may misbehave. A test or an option replaces one member at a time; the rest stay as
 * in `NO_FAULTS`. Every member is asked anew at each command.
 */
export interface Faults {
  /** Before the command is carried out: nothing is registered yet. */
  before(command: DeviceCommand): Before;
  /** After it was carried out and is durable. */
  after(command: DeviceCommand): After;
  /** How far the device's clock is off, milliseconds. */
  clockOffsetMs(): number;
  /** Days until the drive's keys expire, given the true number. */
  keyDays(days: number): number;
  /** Share of the drive's memory in use, given the true share: 1 is full. */
  memoryUsed(share: number): number;
  /** Whether the shift counts as too long, given the truth. */
  shiftExpired(expired: boolean): boolean;
  /** Tag 1206: what the data operator has to say, bit by bit; 0 for nothing. */
  operatorMessage(): number;
  /** How long documents wait for the data operator: 0 confirms at once, Infinity never. */
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
  /** The slip stays half printed; what is registered stays registered. */
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
