import { copyFile, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Failure, messageOf } from "../../kernel/failure.ts";
import { wallAsUtcMs, wallTimeAt } from "../../kernel/moment.ts";
import { daysBetween, findingsOf } from "../examination-findings.ts";
import type { Examined, Facts } from "../examination-schema.ts";
import { lockFolder } from "../folder-lock.ts";
import type { ExaminationServices } from "../protocol.ts";
import { receiptCount } from "../virtual/counters.ts";
import { type Look, VirtualDevice } from "../virtual/device.ts";
import { DriveFile } from "../virtual/drive-file.ts";
import { isShiftExpired } from "../virtual/rules.ts";
import { documentsLeft, warningsOf } from "../virtual/warnings.ts";
import { DRIVE_FILE } from "./folder.ts";

/**
 * Examines an emulator's memory on a copy of its file. Opening the original would remove an unfinished last record, and an examination must
 * not change the memory. `unreachable`: there is no such memory yet, or the folder cannot be locked, or the file cannot be copied or read.
 */
export async function examineEmulator(name: string, folder: string, services: ExaminationServices): Promise<Examined> {
  const path = join(folder, DRIVE_FILE);
  if (!(await exists(path))) {
    return { kind: "unreachable", reason: `there is no emulator "${name}" in ${services.dataDir} yet: it is made when it is first used` };
  }
  try {
    const lock = await lockFolder(folder, services.clock.nowMs());
    try {
      return { kind: "examined", examination: await examined(name, path, services) };
    } finally {
      await lock.release();
    }
  } catch (error) {
    if (error instanceof Failure && error.code === "register-locked")
      return { kind: "held", holder: error.message.split(" is in use by ")[1] ?? "another process" };
    if (error instanceof Failure || isOfSystem(error)) return { kind: "unreachable", reason: messageOf(error) };
    throw error;
  }
}

/** Whether the operating system has refused something, for example to read a file. */
function isOfSystem(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function examined(name: string, path: string, services: ExaminationServices) {
  const copies = await mkdtemp(join(tmpdir(), "fiscal-register-examination-"));
  try {
    const copy = join(copies, DRIVE_FILE);
    await copyFile(path, copy);
    const { clock, chance, zone } = services;
    const { device } = await VirtualDevice.open({ name, storage: await DriveFile.open(copy), clock, chance, zone });
    const facts = factsOf(name, device.look(), services);
    await device.close();
    return { ...facts, findings: findingsOf(facts) };
  } finally {
    await rm(copies, { recursive: true, force: true });
  }
}

const HOURS = 24;
const WARNINGS = [
  ["keysExpireNow", "keys-expire-now"],
  ["keysExpireSoon", "keys-expire-soon"],
  ["memoryFull", "memory-full"],
  ["operatorTimeout", "operator-timeout"],
] as const;

function factsOf(name: string, { memory, conditions }: Look, { clock, zone, zoneKnown }: ExaminationServices): Facts {
  const { identity, keysUntil, unsent, shift, lastDocumentNumber, lastTime } = memory;
  const { now } = conditions;
  const ours = wallTimeAt(clock.nowMs(), zone);
  const warnings = warningsOf(memory, conditions);
  return {
    address: `emulator:${name}`,
    examinedAt: new Date(clock.nowMs()).toISOString(),
    identity: {
      model: "emulator",
      firmware: identity.firmware,
      serialNumber: identity.serialNumber,
      registrationNumber: identity.registrationNumber,
      inn: identity.inn,
      seller: identity.sellerName,
      address: identity.address,
      place: identity.place,
      ffd: identity.ffd,
      taxSystems: identity.taxSystems,
    },
    drive: {
      number: identity.driveNumber,
      kind: "debug",
      phase: "fiscal",
      keysUntil,
      keyDaysLeft: Math.floor(daysBetween(now, keysUntil)),
      documentsLeft: documentsLeft(memory, conditions),
      lastDocument: { number: lastDocumentNumber, time: lastTime },
      warnings: WARNINGS.filter(([flag]) => warnings[flag]).map(([, word]) => word),
    },
    queue: {
      unsent: unsent.count,
      ...(unsent.since === undefined ? {} : { since: unsent.since, ageDays: daysBetween(unsent.since, now) }),
    },
    clock: { device: now, ours, zone, zoneKnown, aheadSeconds: Math.round((wallAsUtcMs(now) - wallAsUtcMs(ours)) / 1_000) },
    paper: { roll: conditions.paperPresent ? "present" : "out", cover: "closed", mechanism: "idle" },
    shift: {
      number: shift.number,
      ...(shift.open
        ? {
            state: isShiftExpired(shift.openedAt, conditions) ? "expired" : "open",
            openedAt: shift.openedAt,
            ageHours: daysBetween(shift.openedAt, now) * HOURS,
            receipts: receiptCount(shift.totals),
          }
        : { state: "closed" }),
    },
    tables: [],
    rates: [],
    unanswered: [],
  };
}
