import { productCode } from "../../../tags/product-code.ts";
import { type RawTlv, readTlvs, readValue } from "../../../tags/tlv.ts";
import { checksMarks } from "../../../virtual/mark-checks.ts";
import type { AnswerOf } from "../../commands/commands.ts";
import type { Planned } from "../machine/checked-marks.ts";
import { ERROR } from "../machine/errors.ts";
import type { Machine } from "../machine/machine.ts";
import { takeTags } from "../machine/sent-tags.ts";
import type { Handlers } from "./handler.ts";
import { isForeign } from "./receipt.ts";

/** Handlers of a document's tags and marking codes (shtrih-protocol 5.7, 5.9). */
export const TAG_HANDLERS: Handlers = {
  documentTags: (machine, { tlv }, operator) => addDocumentTags(machine, tlv, operator) ?? {},

  itemTags(machine, { tlv }, operator) {
    const { receipt } = machine;
    const known = receipt?.itemTags;
    if (receipt === undefined || known === undefined) return ERROR.wrongDocument;
    if (isForeign(receipt, operator)) return ERROR.otherOperator;
    const taken = takeTags(tlv, "item", tagsOf(known));
    if (taken.kind === "error") return taken.error;
    receipt.addItemTags(taken.tags);
    return {};
  },

  /** Loads one block of a TLV. Block 0 begins a new TLV. */
  loadData(machine, { type, block, data }) {
    if (type !== TLV_BLOCKS || block > machine.loaded.length || block >= MAX_BLOCKS) return ERROR.badParameters;
    machine.loaded = [...machine.loaded.slice(0, block), Buffer.from(data)];
    return {};
  },

  loadedTags(machine, _values, operator) {
    const loaded = Buffer.concat(machine.loaded);
    machine.loaded = [];
    return addDocumentTags(machine, withoutFilling(loaded), operator) ?? {};
  },

  checkMark(machine, { plan, mark }) {
    if (!hasMarking(machine)) return ERROR.notSupported;
    if (machine.receipt !== undefined) return ERROR.marksOutOfOrder;
    if (!PLANS.has(plan) || mark.code.length === 0) return ERROR.badParameters;
    const planned = plannedOf(plan, Buffer.from(mark.tlv));
    if (typeof planned === "number") return planned;
    const result = resultOf(machine, mark.code);
    switch (machine.marks.check(textOf(mark.code), result, planned)) {
      case "checked":
        return checkOf(result);
      case "out-of-order":
        return ERROR.marksOutOfOrder;
      case "full":
        return ERROR.marksFull;
    }
  },

  acceptMark(machine, { decision }) {
    if (!hasMarking(machine)) return ERROR.notSupported;
    if (decision > CLEAR) return ERROR.badParameters;
    if (decision === CLEAR) {
      machine.marks.clear();
      return { result: 0 };
    }
    const result = machine.marks.decide(decision === ACCEPT);
    return result === undefined ? ERROR.marksOutOfOrder : { result };
  },

  /** Binds a code to the item. An unchecked code is checked now, and the answer has the result. */
  bindMark(machine, { code }, operator) {
    const { receipt, marks } = machine;
    if (!hasMarking(machine)) return ERROR.notSupported;
    if (receipt === undefined || code.length === 0) return ERROR.wrongDocument;
    if (isForeign(receipt, operator)) return ERROR.otherOperator;
    if (marks.isWaiting) return ERROR.marksOutOfOrder;
    const text = textOf(code);
    if (marks.isRejected(text)) return ERROR.markUnchecked;
    if (!receipt.bindMark(text)) return ERROR.wrongDocument;
    const bound = { prefix: prefixOf(text), dataMatrix: KM44 };
    return marks.isAccepted(text) ? bound : { ...bound, result: resultBytes(checkOf(resultOf(machine, code))) };
  },

  notificationStatus: () => ({ state: 0, count: 0, current: 0, time: "", percent: 0 }),
  markStatus: () => ({ check: 0, notifications: 0, flags: 0, saved: 0, included: 0, fill: 0, queue: 0 }),
};

const TLV_BLOCKS = 1;
/** 255 blocks of 64 bytes are 16 kilobytes, more than any structure needs. */
const MAX_BLOCKS = 255;
const ACCEPT = 1;
const CLEAR = 2;
/** Allowed values of tag 2003: sold or returned, in pieces or measured, or unchanged. */
const PLANS: ReadonlySet<number> = new Set([1, 2, 3, 4, 255]);
const MEASURED_PLANS: ReadonlySet<number> = new Set([2, 4]);
const MEASURE = 2108;
const QUANTITY = 1023;
/** The tag of goods that are sold as a part of a package. */
const FRACTION = 1291;
const PIECES = 0;
const NOT_CHECKABLE = 1;
/** Bits of tag 2106 (shtrih-protocol 5.9). */
const CHECKED_BY_DRIVE = 0b0011;
const CHECKED_BY_STATE = 0b0100;
const DATA_MATRIX = 5;
const KM44 = 3;

/**
 * Whether the device supports marking codes, which need format 1.2. Real devices without this support refused FF67 with 37h
 * (shtrih-protocol 14.3).
 */
function hasMarking({ device }: Machine): boolean {
  return checksMarks(device.look().memory.identity.ffd);
}

/**
 * Returns the plan for the goods, or an error code. A plan for measured goods needs a measure and a quantity, unless the goods are part of
 * a package. Any other plan allows only the measure "pieces" or no measure (shtrih-protocol 5.9).
 */
function plannedOf(plan: number, tlv: Buffer): Planned | number {
  const tags = readTlvs(tlv);
  if (tags === undefined) return ERROR.badParameters;
  const numberOf = (wanted: number) => {
    const found = tags.find(({ tag }) => tag === wanted);
    const value = found === undefined ? undefined : readValue(found);
    return typeof value === "number" ? value : undefined;
  };
  const [measure, quantity] = [numberOf(MEASURE), numberOf(QUANTITY)];
  if (!MEASURED_PLANS.has(plan)) return (measure ?? PIECES) === PIECES ? { status: plan } : ERROR.badParameters;
  if (tags.some(({ tag }) => tag === FRACTION)) return { status: plan };
  if (measure === undefined || quantity === undefined) return ERROR.tagMissing;
  return measure === PIECES ? ERROR.badParameters : { status: plan, measure, quantityMillionths: Math.round(quantity) };
}

/**
 * Returns the answer of FF61. The two lowest bits of tag 2106 are the drive's check. Bit 2 is set when the government's marking system was
 * asked. Without bit 2 the answer has no online part.
 */
function checkOf(result: number): AnswerOf<"checkMark"> {
  const online = (result & CHECKED_BY_STATE) === 0 ? Buffer.alloc(0) : Buffer.of(0, result);
  return { local: result & CHECKED_BY_DRIVE, reason: (result & 1) === 1 ? 0 : NOT_CHECKABLE, type: DATA_MATRIX, online };
}

function resultBytes({ local, reason, type, online }: AnswerOf<"checkMark">): Buffer {
  return Buffer.concat([Buffer.of(local, reason, type, online.length), online]);
}

/** Returns the first two bytes of the code's tag 1162, or 0 when the code has no such bytes. */
function prefixOf(text: string): number {
  const { value } = productCode(text, "1.05");
  return Buffer.isBuffer(value) ? value.readUInt16BE(0) : 0;
}

function textOf(code: Uint8Array): string {
  return Buffer.from(code).toString("latin1");
}

function resultOf({ device }: Machine, code: Uint8Array): number {
  const { conditions } = device.look();
  return conditions.checkMark(textOf(code), conditions.readMark);
}

/** Adds tags to the open receipt, or to the begun report or correction. Returns the error, if any. */
function addDocumentTags(machine: Machine, bytes: Buffer, operator: number): number | undefined {
  const { receipt, begun } = machine;
  if (receipt !== undefined && isForeign(receipt, operator)) return ERROR.otherOperator;
  const known = receipt?.documentTags ?? begun?.tags;
  if (known === undefined) return ERROR.driveState;
  const taken = takeTags(bytes, "document", tagsOf(known));
  if (taken.kind === "error") return taken.error;
  if (receipt !== undefined) receipt.addDocumentTags(taken.tags);
  else begun?.tags.push(...taken.tags);
  return undefined;
}

function tagsOf(tags: readonly RawTlv[]): ReadonlySet<number> {
  return new Set(tags.map(({ tag }) => tag));
}

/** Removes the padding of the last 64-byte block. A tag of 0 begins the padding. */
function withoutFilling(bytes: Buffer): Buffer {
  let end = 0;
  while (end + 4 <= bytes.length && bytes.readUInt16LE(end) !== 0) end += 4 + bytes.readUInt16LE(end + 2);
  return bytes.subarray(0, Math.min(end, bytes.length));
}
