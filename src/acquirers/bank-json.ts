/** The deepest nesting that is read. Objects of banks have about five levels. */
const MAX_DEPTH = 32;

/**
 * Bytes read as a JSON object. A number becomes the text in which it was written, so amounts, ids and tokens keep every
 * digit.
 */
type BankJson = { kind: "object"; members: Readonly<Record<string, unknown>> } | { kind: "unreadable"; problem: string };

/** Reads an answer or a notification. The caller has bounded its length. */
export function readBankJson(bytes: Uint8Array): BankJson {
  // The standard parser reads nested values by recursion, so the depth is measured before.
  if (isTooDeep(bytes)) return { kind: "unreadable", problem: `more than ${MAX_DEPTH} levels` };
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes), numbersAsText);
    if (isObject(value)) return { kind: "object", members: value };
    return { kind: "unreadable", problem: "no JSON object" };
  } catch (error) {
    // The decoder throws a TypeError for bytes that are not UTF-8.
    if (error instanceof SyntaxError || error instanceof TypeError) return { kind: "unreadable", problem: "not JSON" };
    throw error;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function numbersAsText(_name: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === "number" ? (context?.source ?? String(value)) : value;
}

function isTooDeep(bytes: Uint8Array): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (inText && byte === BACKSLASH) at += 1;
    else if (byte === QUOTE) inText = !inText;
    else if (!inText && (byte === OPEN_BRACE || byte === OPEN_BRACKET)) depth += 1;
    else if (!inText && (byte === CLOSE_BRACE || byte === CLOSE_BRACKET)) depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

const QUOTE = 0x22;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
