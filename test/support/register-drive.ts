import type { CashFacts, DocumentFacts, RegisterIdentity } from "../../src/model/facts.ts";
import { readTlvs } from "../../src/registers/tags/tlv.ts";
import type { VirtualDevice } from "../../src/registers/virtual/device.ts";
import type { MemoryDrive } from "../../src/registers/virtual/drive.ts";
import { fiscalFactsOf } from "../../src/registers/virtual/make.ts";
import { type DriveRecord, decodeRecord } from "../../src/registers/virtual/records.ts";

/** A document that a device has made, as its storage has it. It is read without the protocol, to compare answers and look-ups with it. */
export interface Made {
  facts: DocumentFacts;
  /** The server's id, if the device was told it. */
  reference: string;
  /** All tags of a document, except those that differ each time it is made, as `tag: bytes`. A slip has none. */
  requisites: string[];
}

/** The tags that differ each time a document is made: time, shift, number, receipt's number, sign. */
const OF_ITS_MAKING = [1012, 1038, 1040, 1042, 1077];

/** The storage of one device. Each look goes on where the look before ended. */
export class DriveReader {
  readonly #drive: MemoryDrive;
  readonly #device: VirtualDevice;
  #seen = 0;

  constructor(drive: MemoryDrive, device: VirtualDevice) {
    this.#drive = drive;
    this.#device = device;
  }

  /** The documents and slips since the last call, the oldest first. */
  async made(): Promise<Made[]> {
    const made: Made[] = [];
    const { identity } = this.#device.look().memory;
    const { records } = await this.#drive.load((bytes, position) => {
      if (position >= this.#seen) made.push(...madeBy(decodeRecord(bytes), identity, this.#device));
    });
    this.#seen = records;
    return made;
  }

  get lastNumber(): number {
    return this.#device.look().memory.lastDocumentNumber;
  }
}

/** The facts of a document in the answer of a register that states times to the minute. */
export function asAnswered<F extends DocumentFacts>(facts: F): F {
  return facts.kind === "cash" ? facts : { ...facts, time: `${facts.time.slice(0, -2)}00` };
}

/** The facts of a document as read back from the drive. The cash that the buyer handed over is printed, but has no tag in the drive. */
export function asFound(facts: DocumentFacts): DocumentFacts {
  if (facts.kind !== "fiscal") return facts;
  const { change: _, ...kept } = facts;
  return asAnswered(kept);
}

function madeBy(record: DriveRecord, identity: RegisterIdentity, device: VirtualDevice): Made[] {
  switch (record.kind) {
    case "fiscal":
    case "state-report": {
      const facts = fiscalFactsOf(record, identity);
      return [{ facts, reference: record.reference ?? "", requisites: requisitesOf(Buffer.from(record.tlv, "base64")) }];
    }
    case "cash": {
      // The sum in the drawer is the present one, because nobody has used the drawer since.
      const { reference, ...slip } = record;
      const facts: CashFacts = { ...slip, identity, drawerKopecks: device.look().memory.drawerKopecks };
      return [{ facts, reference, requisites: [] }];
    }
    default:
      return [];
  }
}

function requisitesOf(tlv: Buffer): string[] {
  const [document] = readTlvs(tlv) ?? [];
  const inside = readTlvs(document?.value ?? Buffer.alloc(0)) ?? [];
  if (inside.length === 0) throw new Error(`the drive holds no requisites: ${tlv.toString("hex")}`);
  return inside.filter(({ tag }) => !OF_ITS_MAKING.includes(tag)).map(({ tag, value }) => `${tag}: ${value.toString("hex")}`);
}
