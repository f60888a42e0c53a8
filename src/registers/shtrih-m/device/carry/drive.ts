import { createHash } from "node:crypto";
import type { WallTime } from "../../../../kernel/moment.ts";
import type { RegisterIdentity } from "../../../../model/facts.ts";
import { TAX_SYSTEMS } from "../../../../model/tax.ts";
import { readTlvs } from "../../../tags/tlv.ts";
import { receiptCount } from "../../../virtual/counters.ts";
import type { StoredDocument } from "../../../virtual/device.ts";
import { documentsLeft, warningsOf } from "../../../virtual/warnings.ts";
import type { AnswerOf } from "../../commands/commands.ts";
import { writeFound, writeFoundRegistration } from "../../commands/documents.ts";
import { ascii, driveDate, u8, u32 } from "../../commands/fields.ts";
import { writeFields } from "../../commands/layout.ts";
import { ERROR } from "../machine/errors.ts";
import { answeredValue, dayOf, type Machine } from "../machine/machine.ts";
import { encodeTag } from "../machine/sent-tags.ts";
import type { Handlers } from "./handler.ts";

/** Handlers of questions to the drive (shtrih-protocol 5.8). Handlers that make documents are in other files. */
export const DRIVE_HANDLERS: Handlers = {
  driveStatus(machine) {
    const { memory, conditions } = machine.device.look();
    const warnings = warningsOf(memory, conditions);
    const bits = [warnings.keysExpireNow, warnings.keysExpireSoon, warnings.memoryFull, warnings.operatorTimeout];
    return {
      life: WORKING,
      openDocument: openDocumentOf(machine),
      documentData: hasData(machine) ? 1 : 0,
      shift: memory.shift.open ? 1 : 0,
      warnings: bits.reduce((byte, up, at) => (up ? byte | (1 << at) : byte), 0),
      time: memory.lastTime,
      driveNumber: memory.identity.driveNumber,
      lastDocument: memory.lastDocumentNumber,
    };
  },

  driveNumber: ({ device }) => ({ driveNumber: device.look().memory.identity.driveNumber }),
  driveValidity: ({ device }) => ({
    until: device.look().memory.keysUntil.slice(0, 10),
    registrationsLeft: 28,
    registrationsDone: 1,
  }),
  driveVersion: () => ({ version: "fn debug emu", type: DEBUG }),
  driveImplementation: () => ({ text: "EMULATOR, NOT A FISCAL DRIVE" }),
  syncRegisters: () => ({}),
  freeMemory({ device }) {
    const { memory, conditions } = device.look();
    const documents = documentsLeft(memory, conditions);
    return { documents, kilobytes: documents };
  },

  shiftParameters({ device }) {
    const { shift } = device.look().memory;
    return { state: shift.open ? 1 : 0, shift: shift.number % 0x1_0000, receipt: receiptCount(shift.totals) % 0x1_0000 };
  },

  operatorStatus({ device }) {
    const { unsent, lastDocumentNumber } = device.look().memory;
    const waits = unsent.since !== undefined;
    return {
      status: waits ? CONNECTED_AND_WAITING : 0,
      reading: 0,
      unsent: unsent.count,
      firstDocument: waits ? lastDocumentNumber - unsent.count + 1 : 0,
      firstTime: unsent.since ?? "",
    };
  },

  unconfirmedCount: ({ device }) => ({ count: device.look().memory.unsent.count }),
  /** The device itself sends to the data operator (T21F2 = 1), so nothing waits for the host. */
  operatorWaiting: () => ({ bytes: 0, maxBlock: MAX_BLOCK }),
  readOperatorBlock: () => ERROR.noData,

  async operatorTicket(machine, { documentNumber }) {
    const stored = await storedAt(machine, documentNumber);
    if (stored === undefined || !isConfirmed(machine, documentNumber)) return ERROR.noData;
    const sign = createHash("sha256").update(stored.tlv).digest().toString("latin1", 0, 18);
    return { time: timeOfDocument(stored), sign, documentNumber };
  },

  async findDocument(machine, { documentNumber }) {
    const stored = await storedAt(machine, documentNumber);
    if (stored === undefined) return ERROR.noData;
    return {
      type: stored.tlv.readUInt16LE(0),
      ticket: isConfirmed(machine, documentNumber) ? 1 : 0,
      time: timeOfDocument(stored),
      documentNumber,
      fiscalSign: signOf(stored),
      more: tailOf(stored, machine.device.look().memory.identity),
    };
  },

  async requestTlv(machine, { documentNumber }) {
    const stored = await storedAt(machine, documentNumber);
    if (stored === undefined) return ERROR.noData;
    const content = stored.tlv.subarray(TLV_HEAD);
    machine.output = piecesOf(content);
    return { documentTag: stored.tlv.readUInt16LE(0), length: content.length };
  },

  /** Answers with the next requisite, or with a piece of a requisite that exceeds one answer (shtrih-protocol 5.8). */
  readTlv(machine) {
    const piece = machine.output?.shift();
    if (piece !== undefined) return { tlv: piece };
    machine.output = undefined;
    return ERROR.noData;
  },

  lastRegistration: (machine) => registrationOf(machine),
  registrationResult: (machine, { registration }) => (registration === 1 ? registrationOf(machine) : ERROR.noData),
  registrationParameter: (machine, { registration, tag }) => parameterOf(machine, registration, tag),
  registrationTlv: (machine, { registration, tag }) => parameterOf(machine, registration, tag),
};

/** Bits of `life` in the answer to FF01: the drive is configured and open (shtrih-protocol 5.8). */
const WORKING = 0x03;
const DEBUG = 0;
const CONNECTED_AND_WAITING = 0x03;
const MAX_BLOCK = 0xf0;
const TLV_HEAD = 4;
/** Room in an answer of protocol 1.0 after code and error. */
const MAX_PIECE_BYTES = 252;
const ALL_TAGS = 0xffff;

const CURRENT = { "open-shift": 0x02, "close-shift": 0x08, receipt: 0x04, correction: 0x14, "state-report": 0x17 } as const;

function openDocumentOf({ receipt, begun }: Machine): number {
  if (receipt !== undefined) return CURRENT[receipt.kind];
  return begun === undefined ? 0 : CURRENT[begun.kind];
}

function hasData({ receipt, begun }: Machine): boolean {
  if (receipt !== undefined) return receipt.itemCount + receipt.documentTags.length > 0;
  return begun !== undefined && begun.tags.length > 0;
}

async function storedAt({ device }: Machine, documentNumber: number): Promise<StoredDocument | undefined> {
  return answeredValue(await device.stored(documentNumber));
}

function isConfirmed({ device }: Machine, documentNumber: number): boolean {
  const { lastDocumentNumber, unsent } = device.look().memory;
  return documentNumber <= lastDocumentNumber - unsent.count;
}

function timeOfDocument(stored: StoredDocument): WallTime {
  return stored.kind === "registration" ? stored.time : stored.facts.time;
}

function signOf(stored: StoredDocument): number {
  return Number(stored.kind === "registration" ? stored.fiscalSign : stored.facts.fiscalSign);
}

function tailOf(stored: StoredDocument, identity: RegisterIdentity): Buffer {
  if (stored.kind === "registration") return writeFound(writeFoundRegistration(registrationValues(identity)));
  const { receipt, shiftNumber, stateReport } = stored.facts;
  if (stateReport !== undefined) {
    const { unsent, unsentSince } = stateReport;
    return writeFound({ kind: "other", bytes: writeFields(STATE_TAIL, { unsent, unsentSince: dayOf(unsentSince) }) });
  }
  if (receipt === undefined) return writeFound({ kind: "shift", shift: shiftNumber % 0x1_0000 });
  return writeFound({ kind: "receipt", operation: receipt.sign, sum: receipt.totalKopecks });
}

/** The sources disagree on the size of the date (shtrih-protocol 5.8). This device uses the size in FF38's answer. */
const STATE_TAIL = { unsent: u32, unsentSince: driveDate };

function registrationValues(identity: RegisterIdentity) {
  return {
    inn: identity.inn,
    registrationNumber: identity.registrationNumber,
    taxSystems: identity.taxSystems.reduce((bits, system) => bits | TAX_SYSTEMS[system].tag1055, 0),
    mode: 0,
  };
}

/** Returns document 1 of the drive. In formats after 1.05 three more fields follow the mode (shtrih-protocol 5.8, FF09). */
async function registrationOf(machine: Machine): Promise<number | AnswerOf<"lastRegistration">> {
  const stored = await storedAt(machine, 1);
  if (stored === undefined) return ERROR.noData;
  const { identity } = machine.device.look().memory;
  const made = { documentNumber: u32, fiscalSign: u32 };
  const later = { extended: u8, operatorInn: ascii(12), reasons: u32, ...made };
  const values = { extended: 0, operatorInn: OPERATOR_INN, reasons: 0, documentNumber: 1, fiscalSign: signOf(stored) };
  return {
    time: timeOfDocument(stored),
    ...registrationValues(identity),
    more: writeFields(identity.ffd === "1.05" ? made : later, values),
  };
}

const OPERATOR_INN = "9600000016";

async function parameterOf(machine: Machine, registration: number, tag: number): Promise<number | { tlv: Buffer }> {
  const stored = registration === 1 ? await storedAt(machine, 1) : undefined;
  if (stored === undefined) return ERROR.noData;
  const content = stored.tlv.subarray(TLV_HEAD);
  if (tag === ALL_TAGS) {
    machine.output = piecesOf(content);
    return { tlv: Buffer.alloc(0) };
  }
  const found = (readTlvs(content) ?? []).find((candidate) => candidate.tag === tag);
  return found === undefined ? ERROR.noData : { tlv: encodeTag(found) };
}

function piecesOf(content: Buffer): Buffer[] {
  return (readTlvs(content) ?? []).map(encodeTag).flatMap((requisite) => {
    const count = Math.ceil(requisite.length / MAX_PIECE_BYTES);
    return Array.from({ length: count }, (_, at) => requisite.subarray(at * MAX_PIECE_BYTES, (at + 1) * MAX_PIECE_BYTES));
  });
}
