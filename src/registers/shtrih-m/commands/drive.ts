import { ascii, driveDate, minute, optional, rest, u8, u16, u32 } from "./fields.ts";
import { row } from "./table.ts";

const password = u32;

/** Time limits of answers, ms (shtrih-protocol 3.3). */
const DRIVE_MS = 35_000;
const SHIFT_OPEN_MS = 120_000;
const SHIFT_CLOSE_MS = 90_000;

const read = { allowedMs: DRIVE_MS, clause: "5.8", repeat: "safe" } as const;
const change = { allowedMs: DRIVE_MS, clause: "5.8" } as const;
const register = { allowedMs: DRIVE_MS, clause: "5.8", registers: true } as const;

/** A new document's number and sign. The time follows only when T17F36 turns on extended answers. */
const made = { documentNumber: u32, fiscalSign: u32, time: optional(minute) };
const registration = { inn: ascii(12), registrationNumber: ascii(20), taxSystems: u8, mode: u8 };

/** Commands of the fiscal drive (shtrih-protocol 5.8). */
export const DRIVE_COMMANDS = {
  driveStatus: row(
    0xff01,
    "drive status",
    { password },
    { life: u8, openDocument: u8, documentData: u8, shift: u8, warnings: u8, time: minute, driveNumber: ascii(16), lastDocument: u32 },
    read,
  ),
  driveNumber: row(0xff02, "drive number", { password }, { driveNumber: ascii(16) }, read),
  driveValidity: row(
    0xff03,
    "drive validity",
    { password },
    { until: driveDate, registrationsLeft: optional(u8), registrationsDone: optional(u8) },
    read,
  ),
  driveVersion: row(0xff04, "drive version", { password }, { version: ascii(16), type: u8 }, read),
  beginRegistration: row(0xff05, "begin registration", { password, type: u8 }, {}, change),
  registration: row(0xff06, "registration", { password, ...registration }, made, register),
  resetDrive: row(0xff07, "reset drive", { password, code: u8 }, {}, change),
  cancelDocument: row(0xff08, "cancel document of drive", { password }, {}, change),
  /** Newer document formats have more fields after `mode` (shtrih-protocol 5.8, FF09). */
  lastRegistration: row(0xff09, "last registration", { password }, { time: minute, ...registration, more: rest }, read),
  findDocument: row(
    0xff0a,
    "find document",
    { password, documentNumber: u32 },
    { type: u8, ticket: u8, time: minute, documentNumber: u32, fiscalSign: u32, more: rest },
    read,
  ),
  openDriveShift: row(
    0xff0b,
    "open shift in drive",
    { password },
    { shift: u16, ...made },
    { allowedMs: SHIFT_OPEN_MS, clause: "5.8", registers: true },
  ),
  registrationParameter: row(0xff0e, "registration parameter", { password, registration: u8, tag: u16 }, { tlv: rest }, read),
  operatorWaiting: row(0xff30, "bytes for the operator", { password }, { bytes: u16, maxBlock: u8 }, read),
  readOperatorBlock: row(0xff31, "read block for the operator", { password, offset: u16, count: u8 }, { data: rest }, read),
  beginOperatorWrite: row(0xff32, "begin block from the operator", { password, size: u16 }, { maxBlock: u8 }, change),
  writeOperatorBlock: row(0xff33, "block from the operator", { password, offset: u16, length: u8, data: rest }, {}, change),
  reRegistration: row(0xff34, "re-registration", { password, ...registration, reason: u8 }, made, register),
  beginStateReport: row(0xff37, "begin state report", { password }, {}, change),
  stateReport: row(
    0xff38,
    "state report",
    { password },
    { documentNumber: u32, fiscalSign: u32, unsent: u32, unsentSince: driveDate, time: optional(minute) },
    register,
  ),
  operatorStatus: row(
    0xff39,
    "operator exchange status",
    { password },
    { status: u8, reading: u8, unsent: u16, firstDocument: u32, firstTime: minute },
    read,
  ),
  /**
   * After this command the whole document must be read with `readTlv`. A desktop device stays in mode 1 until the end of the document is
   * read.
   */
  requestTlv: row(0xff3a, "request document as TLV", { password, documentNumber: u32 }, { documentTag: u16, length: u16 }, read),
  /** Each call returns the next piece. A piece that was lost cannot be read again. The reading must then start again with `requestTlv`. */
  readTlv: row(0xff3b, "read TLV", { password }, { tlv: rest }, change),
  operatorTicket: row(
    0xff3c,
    "operator's ticket",
    { password, documentNumber: u32 },
    { time: minute, sign: ascii(18), documentNumber: u32 },
    read,
  ),
  beginDriveClose: row(0xff3d, "begin closing of drive", { password }, {}, change),
  closeDrive: row(0xff3e, "close drive", { password }, made, register),
  unconfirmedCount: row(0xff3f, "unconfirmed documents", { password }, { count: u16 }, read),
  shiftParameters: row(0xff40, "shift parameters", { password }, { state: u8, shift: u16, receipt: u16 }, read),
  beginOpenShift: row(0xff41, "begin open shift", { password }, {}, change),
  beginCloseShift: row(0xff42, "begin close shift", { password }, {}, change),
  closeDriveShift: row(
    0xff43,
    "close shift in drive",
    { password },
    { shift: u16, ...made },
    { allowedMs: SHIFT_CLOSE_MS, clause: "5.8", registers: true },
  ),
  registrationResult: row(
    0xff4c,
    "registration result",
    { password, registration: u8 },
    { time: minute, ...registration, more: rest },
    read,
  ),
  registrationTlv: row(0xff60, "registration as TLV", { password, registration: u8, tag: u16 }, { tlv: rest }, read),
  syncRegisters: row(0xff62, "sync registers with drive", { password }, {}, { ...change, repeat: "safe" }),
  freeMemory: row(0xff63, "free memory", { password }, { documents: u32, kilobytes: u32, notificationsPercent: optional(u8) }, read),
  driveImplementation: row(0xff74, "drive implementation", { password }, { text: ascii(48) }, read),
};
