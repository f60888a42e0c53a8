/** Bounds for a text that is to be parsed as JSON. */
interface JsonBounds {
  /** The deepest allowed nesting of lists and objects. */
  depth: number;
  /**
   * The largest number of marks of structure: `{`, `[`, `:` and `,` outside texts. Each begins a list, an object, a name or a
   * value.
   */
  marks: number;
  /** The largest number of bytes of one text: a text is parsed in one go. */
  textBytes: number;
}

/** The bound that a text exceeds. */
type JsonExcess = "depth" | "marks" | "text";

/** The number of bytes examined in one step: about a millisecond. */
const BYTES_A_STEP = 512 * 1024;

/**
 * Returns the bound that the text exceeds; undefined when it exceeds none. The standard parser has no bounds, and it needs much more for a
 * megabyte of brackets than for a megabyte of words. This pass takes a few nanoseconds a byte, allocates nothing, and does not check
 * whether the text is JSON. Yields after each step, so that other work may run.
 */
export function* excessOf(bytes: Uint8Array, bounds: JsonBounds): Generator<undefined, JsonExcess | undefined> {
  let depth = 0;
  let marks = 0;
  for (let at = 0, yieldedAt = 0; at < bytes.length; at += 1) {
    if (at - yieldedAt > BYTES_A_STEP) {
      yieldedAt = at;
      yield;
    }
    switch (bytes[at]) {
      case QUOTE: {
        const stop = Math.min(bytes.length, at + bounds.textBytes + 2);
        at = endOfText(bytes, at, stop);
        if (at >= stop && stop < bytes.length) return "text";
        break;
      }
      case OPEN_BRACE:
      case OPEN_BRACKET:
        depth += 1;
        if (depth > bounds.depth) return "depth";
        marks += 1;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth -= 1;
        break;
      case COLON:
      case COMMA:
        marks += 1;
        break;
    }
    if (marks > bounds.marks) return "marks";
  }
  return undefined;
}

/** The position of the quote that ends the text; `stop` or more when the text does not end before `stop`. */
export function endOfText(bytes: Uint8Array, begin: number, stop = bytes.length): number {
  let at = begin + 1;
  while (at < stop && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

export const QUOTE = 0x22;
export const COMMA = 0x2c;
const COLON = 0x3a;
export const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
