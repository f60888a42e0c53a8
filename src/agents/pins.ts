import type { AgentRegisterRow } from "../store/agent-tables.ts";
import type { Store } from "../store/database.ts";
import { deleteUnusedRegisters, lockAgent, selectRegistersOf, type Tx, upsertRegister } from "./agent-queries.ts";

export interface SeenDevice {
  serialNumber: string;
  driveNumber: string;
}

type Compared = { kind: "same" } | { kind: "other"; pinned: SeenDevice };

/**
 * Compares a device with the register's pinned device: the first seen device, or the device that a person last accepted. Pins the first
 * device. Stores a different device, so that a person can accept it. When the pinned device returns, the stored different device is
 * removed.
 */
export function compareDevice(
  store: Pick<Store, "commit">,
  place: { name: string; register: string },
  device: SeenDevice,
): Promise<Compared> {
  return store.commit(async (tx) => {
    const seen = await rowOf(tx, place);
    if (seen !== undefined && isPinned(seen, device)) return { kind: "same" };
    // Another process may be accepting a device, so the row is read again under the agent's lock.
    await lockAgent(tx, place.name);
    const row = await rowOf(tx, place);
    const pinned = row && pinnedIn(row);
    if (pinned === undefined || isSame(pinned, device)) {
      if (row === undefined || !isPinned(row, device))
        await upsertRegister(tx, place, { serial_number: device.serialNumber, drive_number: device.driveNumber, ...NO_OTHER });
      return { kind: "same" };
    }
    await upsertRegister(tx, place, { other_serial_number: device.serialNumber, other_drive_number: device.driveNumber });
    return { kind: "other", pinned };
  });
}

function isPinned(row: AgentRegisterRow, device: SeenDevice): boolean {
  const pinned = pinnedIn(row);
  return pinned !== undefined && isSame(pinned, device) && otherIn(row) === undefined;
}

/** Pins the refused device that is stored. Undefined: none is stored. */
export async function acceptDevice(tx: Tx, place: { name: string; register: string }): Promise<SeenDevice | undefined> {
  const row = await rowOf(tx, place);
  const other = row && otherIn(row);
  if (other === undefined) return undefined;
  await upsertRegister(tx, place, { serial_number: other.serialNumber, drive_number: other.driveNumber, ...NO_OTHER });
  return other;
}

/**
 * The number of an agent's registers above which registers that it no longer names are forgotten. An agent has at most 20 registers at a
 * time, and a shop renames few of them. An agent that names new registers at each connection must not fill the database.
 */
export const MAX_KEPT_REGISTERS = 100;

/** Stores the names and schemes of an agent's registers. A register with a pinned or refused device is never forgotten. */
export async function keepRegisters(
  store: Pick<Store, "commit">,
  name: string,
  registers: readonly { name: string; scheme: string }[],
): Promise<void> {
  await store.commit(async (tx) => {
    const known = await selectRegistersOf(tx, name);
    for (const { name: register, scheme } of registers) {
      const row = known.find((each) => each.register === register);
      if (row?.scheme !== scheme) await upsertRegister(tx, { name, register }, { scheme });
    }
    const named = registers.map(({ name: register }) => register);
    const kept = new Set([...known.map(({ register }) => register), ...named]);
    if (kept.size > MAX_KEPT_REGISTERS) await deleteUnusedRegisters(tx, name, named);
  });
}

export function pinnedIn({ serial_number, drive_number }: AgentRegisterRow): SeenDevice | undefined {
  return serial_number === null || drive_number === null ? undefined : { serialNumber: serial_number, driveNumber: drive_number };
}

export function otherIn({ other_serial_number: serialNumber, other_drive_number: driveNumber }: AgentRegisterRow): SeenDevice | undefined {
  return serialNumber === null || driveNumber === null ? undefined : { serialNumber, driveNumber };
}

export function isSame(one: SeenDevice, other: SeenDevice): boolean {
  return one.serialNumber === other.serialNumber && one.driveNumber === other.driveNumber;
}

const NO_OTHER = { other_serial_number: null, other_drive_number: null };

async function rowOf(tx: Tx, place: { name: string; register: string }): Promise<AgentRegisterRow | undefined> {
  return (await selectRegistersOf(tx, place.name)).find(({ register }) => register === place.register);
}
