import type { RawTlv } from "../../tags/tlv.ts";
import { isForeign } from "./carry-receipt.ts";
import { ERROR } from "./errors.ts";
import type { Handlers } from "./handler.ts";
import type { Machine } from "./machine.ts";
import { takeTags } from "./sent-tags.ts";

/** Tags and marking codes that belong to the open document: chapters 5.7 and 5.9. */
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

  /** Blocks from 0 on; block 0 begins anew. */
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

  /** The drive's own check is in the two lowest bits of tag 2106; what the state's system says came on line. */
  checkMark(machine, { mark }) {
    const result = resultOf(machine, mark.code);
    machine.checkedMark = result;
    const online = (result & CHECKED_BY_STATE) === 0 ? Buffer.alloc(0) : Buffer.of(0, result);
    return { local: result & CHECKED_BY_DRIVE, reason: (result & 1) === 1 ? 0 : NOT_CHECKABLE, type: DATA_MATRIX, online };
  },

  acceptMark(machine, { decision }) {
    if (decision > CLEAR) return ERROR.badParameters;
    const result = machine.checkedMark;
    machine.checkedMark = undefined;
    if (decision === CLEAR) return { result: 0 };
    return result === undefined ? ERROR.marksOutOfOrder : { result };
  },

  bindMark(machine, { code }, operator) {
    const { receipt } = machine;
    if (receipt === undefined || code.length === 0) return ERROR.wrongDocument;
    if (isForeign(receipt, operator)) return ERROR.otherOperator;
    if (!receipt.bindMark(Buffer.from(code).toString("latin1"))) return ERROR.wrongDocument;
    return { prefix: PREFIX_DATA_MATRIX, dataMatrix: KM44 };
  },

  notificationStatus: () => ({ state: 0, count: 0, current: 0, time: "", percent: 0 }),
  markStatus: () => ({ check: 0, notifications: 0, flags: 0, saved: 0, included: 0, fill: 0, queue: 0 }),
};

const TLV_BLOCKS = 1;
/** 16 kilobytes: more than any structure that is sent. */
const MAX_BLOCKS = 255;
const CLEAR = 2;
const NOT_CHECKABLE = 1;
/** Bits of tag 2106 (reference 5.9). */
const CHECKED_BY_DRIVE = 0b0011;
const CHECKED_BY_STATE = 0b0100;
const DATA_MATRIX = 5;
const PREFIX_DATA_MATRIX = 0x444d;
const KM44 = 3;

/** Tag 2106 of a code. */
function resultOf({ device }: Machine, code: Uint8Array): number {
  return device.look().conditions.checkMark(Buffer.from(code).toString("latin1"));
}

/** Into the open receipt, or the shift report that was begun. The error, if there is one. */
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

/** The last block of 64 bytes is filled up: the requisites end where no further one begins. */
function withoutFilling(bytes: Buffer): Buffer {
  let end = 0;
  while (end + 4 <= bytes.length && bytes.readUInt16LE(end) !== 0) end += 4 + bytes.readUInt16LE(end + 2);
  return bytes.subarray(0, Math.min(end, bytes.length));
}
