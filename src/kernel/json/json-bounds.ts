/** Bounds for a text before the standard parser reads it. The parser itself has no bounds and blocks the event loop. */
interface JsonBounds {
  depth: number;
  /**
   * The largest number of `{`, `[`, `:` and `,` outside JSON strings. Each begins a list, an object, a name or a value. So this number and
   * the length of the text together bound the parser's time and memory.
   */
  marks: number;
}

/**
 * Names, in words, the first bound that a JSON text exceeds. Undefined: the text exceeds no bound. For a text that is no JSON, the result
 * has no meaning.
 */
export function jsonExcess(text: string, { depth: deepest, marks: most }: JsonBounds): string | undefined {
  let depth = 0;
  let marks = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfText(text, at);
        continue;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        depth += 1;
        if (depth > deepest) return `more than ${deepest} levels`;
        marks += 1;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth -= 1;
        continue;
      case COLON:
      case COMMA:
        marks += 1;
        break;
      default:
        continue;
    }
    if (marks > most) return `more than ${most} brackets, colons and commas`;
  }
  return undefined;
}

/**
 * Returns the position of the closing quote of the JSON string that begins at `begin`, or a position after the input without this quote.
 */
function endOfText(text: string, begin: number): number {
  let at = begin + 1;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) break;
    if (code === BACKSLASH) at += 1;
  }
  return at;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
