import { present } from "../../kernel/present.ts";
import type { TradeDocument } from "../../model/document.ts";
import type { RegisterIdentity } from "../../model/facts.ts";
import type { MarkReader } from "../../model/marks/marks.ts";
import { settlementTags } from "./settlement.ts";
import { encodedBytes, maxBytes } from "./tlv.ts";

/**
 * Whether the document is short enough for a drive: 32 KiB in all and 1 KiB per position (fiscal-receipts 1.1, 1.4). Counts also the tags
 * that the drive adds. A text longer than its tag allows counts with the allowed length. False also when another value is too long for its
 * tag.
 */
export function hasRoomFor(document: TradeDocument, identity: RegisterIdentity, readMark?: MarkReader): boolean {
  const { place, kind, buyer, positions, sums, extra } = settlementTags(document, identity.ffd, present({ readMark }));
  const lines: number[] = [];
  for (const [at, requisites] of positions.entries()) {
    const bytes = encodedBytes(requisites);
    const line = bytes === undefined ? Number.POSITIVE_INFINITY : bytes + (document.lines[at]?.mark === undefined ? 0 : RESULT_BYTES);
    if (line > maxBytes(POSITION)) return false;
    lines.push(line);
  }
  const own = encodedBytes([...place, ...kind, ...buyer, ...sums, ...extra]);
  if (own === undefined) return false;
  const seller = [identity.sellerName, identity.address, identity.place].reduce((bytes, text) => bytes + HEAD_BYTES + text.length, 0);
  const all = lines.reduce((bytes, line) => bytes + HEAD_BYTES + line, own + seller + ADDED_BYTES);
  return all <= maxBytes(document.kind === "receipt" ? RECEIPT : CORRECTION);
}

const RECEIPT = 3;
const CORRECTION = 31;
const POSITION = 1059;
/** Length of a tag's number and of its length field, together. */
const HEAD_BYTES = 4;
/** Length of the whole tag 2106, the result of a mark's check. */
const RESULT_BYTES = HEAD_BYTES + 1;
/**
 * Length of the tags that the drive adds, except 2106 and the seller's 1048, 1009 and 1187, rounded up: 1209, 1018, 1037, 1041, 1040, 1012,
 * 1038, 1042, 1077, 1117.
 */
const ADDED_BYTES = 256;
