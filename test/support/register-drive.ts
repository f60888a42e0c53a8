import type { CashFacts, DocumentFacts, RegisterIdentity } from "../../src/model/facts.ts";
import { readTlvs } from "../../src/registers/tags/tlv.ts";
import type { VirtualDevice } from "../../src/registers/virtual/device.ts";
import type { MemoryDrive } from "../../src/registers/virtual/drive.ts";
import { fiscalFactsOf } from "../../src/registers/virtual/make.ts";
import { type DriveRecord, decodeRecord } from "../../src/registers/virtual/records.ts";

/** What a device has made, as its own storage has it, read past every protocol: answers and look-ups are held against it. */
export interface Made {
  facts: DocumentFacts;
  /** Our id as far as the device was told it. */
  reference: string;
  /** Everything in a document but what is another at each making, as `tag: bytes`; nothing of a slip. */
  requisites: string[];
}

/** Time, shift, number, receipt's number, sign: tags of which two makings of one document have their own. */
const OF_ITS_MAKING = [1012, 1038, 1040, 1042, 1077];

/** One device's storage, which is told on from one look to the next. */
export class DriveReader {
  readonly #drive: MemoryDrive;
  readonly #device: VirtualDevice;
  #seen = 0;

  constructor(drive: MemoryDrive, device: VirtualDevice) {
    this.#drive = drive;
    this.#device = device;
  }

  /** Documents and slips since the last call, the oldest first. */
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

/** As a register that tells times to the minute gives a document's facts when it has answered. */
export function asAnswered<F extends DocumentFacts>(facts: F): F {
  return facts.kind === "cash" ? facts : { ...facts, time: `${facts.time.slice(0, -2)}00` };
}

/** The same read back out of the drive: what was handed over in cash is printed, and stands in no requisite. */
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
      // The drawer as it is now: nobody has touched it since.
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
