import { decodeCp866, encodeCp866 } from "../../tags/cp866.ts";
import { type Requisite, TAGS } from "../../tags/tags.ts";
import { maxBytes } from "../../tags/tlv.ts";
import { type CommandName, encodeRequest, type RequestOf } from "../commands/commands.ts";

/** The longest request: a frame of protocol 1.0 holds 255 bytes, and F7h names the same number (reference 1.2, 14.3). */
const MAX_REQUEST_BYTES = 255;
/**
 * The longest TLV of FF0C and FF4D: six bytes of the request are its code and the password. Reference 5.7 allows FF0C one byte more, which
 * no frame of protocol 1.0 holds.
 */
export const MAX_TLV_BYTES = 249;

/**
 * Throws RangeError when the request does not fit its fields or a frame. It is called for every command of a document before the first of
 * them is sent, so that such a request never stops a document that is already open.
 */
export function checkRequest<N extends CommandName>(name: N, values: RequestOf<N>): void {
  const { length } = encodeRequest(name, values);
  if (length > MAX_REQUEST_BYTES) throw new RangeError(`${name}: a request has up to ${MAX_REQUEST_BYTES} bytes, not ${length}`);
}

/** Returns the requisite, with its texts cut to their limits. Letters that the code page lacks can make a text too long. */
export function withinLimit(requisite: Requisite): Requisite {
  const { tag, value } = requisite;
  if (isList(value)) return { tag, value: value.map(withinLimit) } as Requisite;
  if (typeof value !== "string" || TAGS[tag].type !== "text") return requisite;
  const bytes = encodeCp866(value);
  const limit = maxBytes(tag);
  return bytes.length <= limit ? requisite : ({ tag, value: decodeCp866(bytes.subarray(0, limit)) } as Requisite);
}

function isList(value: Requisite["value"]): value is readonly Requisite[] {
  return Array.isArray(value);
}
