const LF = 0x0a;
const CR = 0x0d;
const HEADERS_END = Buffer.from("\r\n\r\n");
/** How many bytes of the previous piece are kept for `headersEndIn`. */
export const TAIL_BYTES = HEADERS_END.length;

/** True when the piece has only line breaks. The parser skips them before a request (RFC 9112, 2.2). */
export function isLineBreaks(piece: Buffer): boolean {
  return piece.every((byte) => byte === LF || byte === CR);
}

/** Returns the index in `slice` after the end of the headers, or -1. The end may have begun in `tail`: the previous piece's last bytes. */
export function headersEndIn(tail: Buffer, slice: Buffer): number {
  for (let before = 1; before < HEADERS_END.length; before += 1) {
    const begun = tail.length >= before && tail.subarray(-before).equals(HEADERS_END.subarray(0, before));
    const rest = HEADERS_END.subarray(before);
    if (begun && slice.subarray(0, rest.length).equals(rest)) return rest.length;
  }
  const found = slice.indexOf(HEADERS_END);
  return found === -1 ? -1 : found + HEADERS_END.length;
}
