import { join } from "node:path";
import { messageOf } from "../../kernel/failure.ts";
import { lockFolder } from "../folder-lock.ts";
import type { RegisterServices } from "../protocol.ts";
import { VirtualDevice } from "../virtual/device.ts";
import { DriveFile } from "../virtual/drive-file.ts";
import type { OpenDevice } from "./register.ts";

export const DRIVE_FILE = "drive.records";

/**
 * Locks the folder and opens its device. Throws a Failure: `register-locked` when the folder is locked already, `register-folder` when the
 * holder's name cannot be written, `drive-corrupt` when the drive's file is damaged, and `drive-format` when another version of this
 * program wrote the file in another format. Throws other errors of the file system as they are.
 */
export async function openFolder(name: string, folder: string, services: RegisterServices): Promise<OpenDevice> {
  const { clock, chance, zone, note } = services;
  const register = `emulator:${name}`;
  const unusable = (error: unknown) => note("warn", "the emulated drive cannot be used", { register, reason: messageOf(error) });
  const lock = await lockFolder(folder, clock.nowMs()).catch((error: unknown) => {
    unusable(error);
    throw error;
  });
  let storage: DriveFile | undefined;
  try {
    storage = await DriveFile.open(join(folder, DRIVE_FILE));
    const drive = storage;
    const { device, cutBytes } = await VirtualDevice.open({ name, storage, clock, chance, zone });
    if (cutBytes > 0) note("warn", "an unfinished record of the emulated drive was cut away", { register, cutBytes });
    return {
      device,
      inPlace: () => drive.inPlace(),
      async close() {
        await device.close();
        await lock.release();
      },
    };
  } catch (error) {
    unusable(error);
    await storage?.close();
    await lock.release();
    throw error;
  }
}
