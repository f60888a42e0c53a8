import { decodeCp866, encodeCp866 } from "../../tags/cp866.ts";
import { type Requisite, TAGS } from "../../tags/tags.ts";
import { maxBytes } from "../../tags/tlv.ts";
import { type CommandName, encodeRequest, type RequestOf } from "../commands/commands.ts";

/** The limit of a request, in bytes: a frame of protocol 1.0 holds 255, and F7h gives the same number (shtrih-protocol 1.2, 14.3). */
const MAX_REQUEST_BYTES = 255;
/**
 * The limit of a TLV in FF0C and FF4D, in bytes: code and password use six bytes of the request. shtrih-protocol 5.7 allows FF0C one byte
 * more, but a frame of protocol 1.0 cannot hold it.
 */
export const MAX_TLV_BYTES = 249;

/**
 * Throws RangeError when the request does not fit its fields or a frame. All commands of a document are checked before the first is sent,
 * so that no failure leaves a document open.
 */
export function checkRequest<N extends CommandName>(name: N, values: RequestOf<N>): void {
  const { length } = encodeRequest(name, values);
  if (length > MAX_REQUEST_BYTES) throw new RangeError(`${name}: a request has up to ${MAX_REQUEST_BYTES} bytes, not ${length}`);
}

/**
 * Returns the requisite with its texts cut to their limits. Characters that CP866 lacks are replaced, some of them by several characters.
 * So a text can be too long only after its encoding.
 */
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
