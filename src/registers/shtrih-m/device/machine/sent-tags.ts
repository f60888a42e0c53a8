import { type RawTlv, readTlvs } from "../../../tags/tlv.ts";
import { isInn } from "../../../virtual/numbers.ts";
import { ERROR } from "./errors.ts";

type TakenTags = { kind: "tags"; tags: RawTlv[] } | { kind: "error"; error: number };

/** The owner of a command's tags: the document (FF0C) or one of its items (FF4D). */
type TagPlace = "document" | "item";

/**
 * Checks a command's tags. `known`: the tags that the document or item already has. A repeated tag and a tag that the register makes are
 * refused with 33h (shtrih-protocol 5.9, 12.3).
 */
export function takeTags(bytes: Buffer, place: TagPlace, known: ReadonlySet<number>): TakenTags {
  const tags = readTlvs(bytes);
  if (tags === undefined || tags.length === 0) return { kind: "error", error: ERROR.badParameters };
  const seen = new Set(known);
  for (const { tag, value } of tags) {
    if (tag < FIRST_TAG || tag > LAST_TAG || MADE[place].has(tag) || seen.has(tag)) return { kind: "error", error: ERROR.badParameters };
    if (value.length > (LONGEST[tag] ?? LONGEST_OTHER)) return { kind: "error", error: ERROR.tlvTooBig };
    if (!isSound(tag, value)) return { kind: "error", error: ERROR.badParameters };
    seen.add(tag);
  }
  return { kind: "tags", tags };
}

/** Returns the tag's bytes as sent. */
export function encodeTag({ tag, value }: RawTlv): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(tag, 0);
  head.writeUInt16LE(value.length, 2);
  return Buffer.concat([head, value]);
}

const FIRST_TAG = 1_000;
const LAST_TAG = 2_999;
const LONGEST_OTHER = 1_024;

/** Requisites that the register or its drive makes. */
const MADE: Record<TagPlace, ReadonlySet<number>> = {
  document: new Set([
    1012, 1013, 1018, 1020, 1031, 1037, 1038, 1040, 1041, 1042, 1048, 1054, 1055, 1059, 1060, 1062, 1077, 1081, 1097, 1098, 1102, 1103,
    1104, 1105, 1106, 1107, 1111, 1115, 1118, 1157, 1188, 1189, 1194, 1209, 1213, 1215, 1216, 1217,
  ]),
  item: new Set([1023, 1030, 1043, 1059, 1079, 1199, 1200, 1212, 1214]),
};

/** The limits of some tags, in bytes (shtrih-protocol 9.2). */
const LONGEST: Readonly<Record<number, number>> = {
  1008: 64,
  1009: 256,
  1021: 64,
  1057: 1,
  1084: 320,
  1117: 64,
  1162: 32,
  1173: 1,
  1174: 292,
  1187: 256,
  1191: 64,
  1192: 16,
  1197: 16,
  1203: 12,
  1222: 1,
  1226: 12,
  1227: 256,
  1228: 12,
  1229: 8,
  1230: 3,
  1231: 32,
  1260: 302,
  1261: 302,
  1270: 144,
  2108: 1,
};

/**
 * Whether the value is valid for its tag. Only tags of one byte and tag 1203 are checked. Tag 1203 is a person's tax number: twelve digits
 * with check digits (shtrih-protocol 9.1).
 */
function isSound(tag: number, value: Buffer): boolean {
  if (tag === 1203) return value.length === 12 && isInn(value.toString("latin1"));
  if (ONE_BYTE.has(tag)) return value.length === 1;
  return true;
}

const ONE_BYTE = new Set([1057, 1173, 1222, 2108]);
