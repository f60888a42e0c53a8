/** A JSON text as read: every number in it became the text it was written as, so that nothing is rounded. */
export type JsonBody = { kind: "json"; value: unknown } | { kind: "broken"; problem: string };

/** Deeper nesting than any contract has by far; it is looked for before the parser recurses. */
export const MAX_JSON_DEPTH = 64;

/**
 * Reads one JSON text. UTF-8 is strict, a byte order mark is tolerated, a member named `__proto__` is
 * dropped. Numbers arrive as strings: a quantity of `0.1` stays `"0.1"` and `1e400` stays `"1e400"`.
 */
export function parseJson(bytes: Buffer): JsonBody {
  const text = decodeUtf8(bytes);
  if (text === undefined) return { kind: "broken", problem: "not valid UTF-8" };
  if (depthExceeds(text, MAX_JSON_DEPTH)) return { kind: "broken", problem: `nested deeper than ${MAX_JSON_DEPTH} levels` };
  try {
    return { kind: "json", value: JSON.parse(text, keepNumbersAsWritten) };
  } catch (error) {
    if (error instanceof SyntaxError) return { kind: "broken", problem: "not valid JSON" };
    throw error;
  }
}

/** TypeScript's library does not know the third argument yet (JSON.parse source text access, in Node since 22). */
function keepNumbersAsWritten(key: string, value: unknown, context?: { source?: string }): unknown {
  if (key === "__proto__") return undefined;
  return typeof value === "number" ? (context?.source ?? String(value)) : value;
}

function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Counts brackets outside strings; in a broken text it may count too many or too few, which does no harm. */
function depthExceeds(text: string, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (inString) {
      if (char === BACKSLASH) i++;
      else if (char === QUOTE) inString = false;
    } else if (char === QUOTE) inString = true;
    else if (char === OPEN_BRACE || char === OPEN_BRACKET) {
      depth++;
      if (depth > limit) return true;
    } else if (char === CLOSE_BRACE || char === CLOSE_BRACKET) depth--;
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
