import type { RegisterDocument } from "../../model/document.ts";
import type { DriveCode } from "./refusals.ts";

export type DeviceCommand = RegisterDocument["kind"] | "state" | "stored";

/** Faults of a device. A test or an option overrides single members of `NO_FAULTS`. A function may return another value at each call. */
export interface Faults {
  /** Called before the command is carried out. Nothing is registered yet. */
  before(command: DeviceCommand): Before;
  /** Called after the command was carried out and its record, if any, was stored. Not called after a refusal. */
  after(command: DeviceCommand): After;
  clockOffsetMs(): number;
  /** Returns the days until the drive's keys expire. `days`: the number without a fault. */
  keyDays(days: number): number;
  /** Returns the used share of the drive's memory; 1 is full. `share`: the share without a fault. */
  memoryUsed(share: number): number;
  /** Whether the shift counts as too long. `expired`: the answer without a fault. */
  shiftExpired(expired: boolean): boolean;
  /** Returns tag 1206: the data operator's message, as bits. 0: no message. */
  operatorMessage(): number;
  /** Returns how long documents wait for the data operator's confirmation: 0 confirms immediately, Infinity never. */
  operatorDelayMs(): number;
}

export type Before =
  | { kind: "go-on" }
  | { kind: "refuse"; code: DriveCode }
  | { kind: "wait"; forMs: number }
  | { kind: "paper-out" }
  /** The device stays off until it is switched on. */
  | { kind: "power-cut" };

export type After =
  | { kind: "go-on" }
  | { kind: "lose-reply" }
  | { kind: "wait"; forMs: number }
  /** The paper ends during the printing. The document stays registered. */
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
