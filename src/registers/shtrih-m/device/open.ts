import { join } from "node:path";
import type { Chance, Clock } from "../../../kernel/clock.ts";
import { instantOf, type WallTime } from "../../../kernel/moment.ts";
import { present } from "../../../kernel/present.ts";
import { lockFolder } from "../../folder-lock.ts";
import { VirtualDevice } from "../../virtual/device.ts";
import { type DriveStorage, MemoryDrive } from "../../virtual/drive.ts";
import { DriveFile } from "../../virtual/drive-file.ts";
import type { Seller } from "../../virtual/registration.ts";
import { type FrontParts, ShtrihFront } from "./front.ts";
import { PERSONALITIES, type PersonalityName } from "./machine/personality.ts";
import { Printer } from "./machine/printer.ts";
import { RegisterMemory } from "./machine/register-memory.ts";

/** Drive and register have one file each. The drive's file has the virtual device's format. */
const DRIVE_FILE = "drive.records";
const REGISTER_FILE = "register.records";
const NAME = "shtrih-m";
const TCP_PORT = 128;

export interface ShtrihDeviceOptions extends Pick<FrontParts, "clock" | "zone" | "faults" | "paper" | "onPower" | "note" | "protocol"> {
  clock: Clock;
  /** Makes a new drive's secret. */
  chance: Chance;
  /** The folder of drive and register, which survive kill -9. Absent: they are in `storages`, or in memory. */
  dataDir?: string;
  /** The caller's storages instead of `dataDir`, so that a device can be reopened on them. */
  storages?: Storages;
  personality?: PersonalityName;
  /** The format version of a new drive. */
  ffd?: "1.05" | "1.2";
  seller?: Partial<Seller>;
  printMs?: number;
  /** The device's time at the start. Absent: the clock continues from the last run; a new device has the host computer's time. */
  startAt?: WallTime;
  /** Random integers for the faults: from 0, below the limit. */
  faultChance?: (limit: number) => number;
  /** The number of the port to the host, in the answer of 11h: 128 for TCP, 0 for the first serial port. */
  port?: number;
}

interface Storages {
  drive: DriveStorage;
  register: DriveStorage;
}

export interface OpenShtrihDevice {
  front: ShtrihFront;
  close(): Promise<void>;
}

/**
 * Opens the device on its storages; empty storages make a new device. Throws a Failure when the folder is locked already, the holder's name
 * cannot be written, or a file is damaged or has another format. Throws other errors of the file system as they are.
 */
export async function openShtrihDevice(options: ShtrihDeviceOptions): Promise<OpenShtrihDevice> {
  const { dataDir, clock } = options;
  if (dataDir === undefined) {
    const front = await openFront(options, options.storages ?? { drive: new MemoryDrive(), register: new MemoryDrive() });
    return { front, close: () => front.close() };
  }
  const lock = await lockFolder(dataDir, clock.nowMs());
  const opened: DriveStorage[] = [];
  try {
    const drive = await DriveFile.open(join(dataDir, DRIVE_FILE));
    opened.push(drive);
    const register = await DriveFile.open(join(dataDir, REGISTER_FILE));
    opened.push(register);
    const front = await openFront(options, { drive, register });
    return {
      front,
      async close() {
        await front.close();
        await lock.release();
      },
    };
  } catch (error) {
    for (const storage of opened) await storage.close();
    await lock.release();
    throw error;
  }
}

async function openFront(options: ShtrihDeviceOptions, { drive, register }: Storages): Promise<ShtrihFront> {
  const { clock, chance, zone, startAt, faultChance } = options;
  const { memory, cutBytes: cutOfRegister } = await RegisterMemory.open(register);
  if (startAt !== undefined) await memory.keep({ kind: "clock", offsetMs: instantOf(startAt, zone) - clock.nowMs() });
  const { device, cutBytes: cutOfDrive } = await VirtualDevice.open({
    name: NAME,
    storage: drive,
    clock,
    chance,
    zone,
    faults: { clockOffsetMs: () => memory.clockOffsetMs ?? 0 },
    ...present({ seller: options.seller, ffd: options.ffd }),
  });
  for (const [file, bytes] of [
    [REGISTER_FILE, cutOfRegister],
    [DRIVE_FILE, cutOfDrive],
  ] as const)
    if (bytes > 0) options.note?.(`an unfinished record of ${bytes} bytes at the end of ${file} was cut away`);
  return new ShtrihFront({
    device,
    memory,
    printer: new Printer(clock, () => device.look().conditions.paperPresent),
    personality: PERSONALITIES[options.personality ?? "desktop"],
    clock,
    zone,
    port: options.port ?? TCP_PORT,
    printMs: options.printMs ?? 0,
    ...given(options, "faults", "paper", "onPower", "note", "protocol"),
    ...present({ chance: faultChance }),
  });
}

function given<K extends keyof ShtrihDeviceOptions>(options: ShtrihDeviceOptions, ...names: K[]): Partial<Pick<ShtrihDeviceOptions, K>> {
  return Object.fromEntries(names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]]))) as Partial<
    Pick<ShtrihDeviceOptions, K>
  >;
}
