import type { WallTime } from "../../../../kernel/moment.ts";
import { receiptCount } from "../../../virtual/counters.ts";
import { type Machine, modeOf, now } from "./machine.ts";

/** The device's state in the answers of the emulator's control port. Sums in kopecks. */
export interface DeviceState {
  power: boolean;
  connections: number;
  /** The mode in the answer of 10h. */
  mode: number;
  submode: number;
  paper: boolean;
  time: WallTime;
  shift: { open: boolean; number: number; receipts: number };
  driveNumber: string;
  lastDocument: number;
  drawerKopecks: number;
  unsent: number;
  receipt?: { type: number; operator: number; items: number; sumKopecks: number };
  begun?: string;
  lastError: number;
  /** Faults that can still happen. */
  faults: string[];
}

export function stateOf(machine: Machine, front: Pick<DeviceState, "power" | "connections" | "faults">): DeviceState {
  const { receipt, begun, printer } = machine;
  const { identity, shift, drawerKopecks, lastDocumentNumber, unsent } = machine.device.look().memory;
  return {
    ...front,
    mode: modeOf(machine),
    submode: printer.submode,
    paper: printer.hasPaper,
    time: now(machine),
    shift: { open: shift.open, number: shift.number, receipts: receiptCount(shift.totals) },
    driveNumber: identity.driveNumber,
    lastDocument: lastDocumentNumber,
    drawerKopecks,
    unsent: unsent.count,
    ...(receipt === undefined
      ? {}
      : { receipt: { type: receipt.type, operator: receipt.operator, items: receipt.itemCount, sumKopecks: receipt.sumKopecks } }),
    ...(begun === undefined ? {} : { begun: begun.kind }),
    lastError: machine.lastError,
  };
}
