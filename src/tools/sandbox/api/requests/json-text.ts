import type { TextPlace } from "../../call/call.ts";
import { Refusal } from "../../call/refusal.ts";

/** Reads a body as JSON. Throws 2001 with the place of the fault. */
export function parseJsonText(bytes: Buffer): unknown {
  const text = decode(bytes);
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const scan = new JsonScan(text);
    throw new Refusal({ code: 2001, ...new LineStarts(text).placeAt(scan.fault ?? text.length) });
  }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Bytes that are not UTF-8 are no text, so the fault has no line and column. The beginning is named instead.
    throw new Refusal({ code: 2001, line: 1, column: 1 });
  }
}

/** The starts of the lines of a text. They are stored, because places are looked up many times in one long text. */
export class LineStarts {
  readonly #starts: number[] = [0];

  constructor(text: string) {
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) this.#starts.push(at + 1);
  }

  placeAt(offset: number): TextPlace {
    let [from, to] = [0, this.#starts.length];
    while (to - from > 1) {
      const middle = (from + to) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) from = middle;
      else to = middle;
    }
    return { line: from + 1, column: offset - (this.#starts[from] ?? 0) + 1 };
  }
}

/** A value in a text, with the values inside it. */
export interface JsonNode {
  /** The start of the value, or of its name if the value is a member. */
  readonly start: number;
  /** The members of an object. If a name repeats, the last member counts, as in `JSON.parse`. */
  readonly members?: ReadonlyMap<string, JsonNode>;
  readonly items?: readonly JsonNode[];
}

/** The scan stops at this depth. Valid bodies are less deep. */
const MAX_DEPTH = 200;

/** Ends the scan at the first character that is not JSON, or at a bracket that is nested too deep. */
class Fault extends Error {
  readonly offset: number;

  constructor(offset: number) {
    super("not JSON");
    this.offset = offset;
  }
}

/**
 * Scans a text after `JSON.parse`, which gives no places. `jsonc-parser` does not fit: its stack overflows on a body of brackets alone, and
 * it reports a fault inside a string at the string's start.
 */
export class JsonScan {
  /** The offset of the first invalid character, or of the bracket that is nested too deep. Undefined: the text is JSON. */
  readonly fault: number | undefined;
  /** Undefined: the text has a fault. */
  readonly root: JsonNode | undefined;
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    try {
      this.root = this.#whole();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.fault = error.offset;
    }
  }

  #whole(): JsonNode {
    this.#space();
    const root = this.#value(0, this.#at);
    this.#space();
    if (this.#at < this.#text.length) throw new Fault(this.#at);
    return root;
  }

  #value(depth: number, start: number): JsonNode {
    const first = this.#text[this.#at];
    if (first === "{") return this.#object(depth, start);
    if (first === "[") return this.#array(depth, start);
    if (first === '"') this.#string();
    else this.#token(first === "-" || /\d/.test(first ?? "") ? NUMBER : WORD);
    return { start };
  }

  #object(depth: number, start: number): JsonNode {
    const members = new Map<string, JsonNode>();
    this.#items("}", depth, () => {
      const name = this.#at;
      this.#string();
      const written = this.#text.slice(name, this.#at);
      this.#space();
      this.#expect(":");
      this.#space();
      members.set(JSON.parse(written) as string, this.#value(depth + 1, name));
    });
    return { start, members };
  }

  #array(depth: number, start: number): JsonNode {
    const items: JsonNode[] = [];
    this.#items("]", depth, () => items.push(this.#value(depth + 1, this.#at)));
    return { start, items };
  }

  #items(close: string, depth: number, item: () => void): void {
    if (depth > MAX_DEPTH) throw new Fault(this.#at);
    this.#at += 1;
    this.#space();
    if (this.#text[this.#at] === close) {
      this.#at += 1;
      return;
    }
    for (;;) {
      this.#space();
      item();
      this.#space();
      if (this.#text[this.#at] !== ",") break;
      this.#at += 1;
    }
    this.#expect(close);
  }

  #expect(character: string): void {
    if (this.#text[this.#at] !== character) throw new Fault(this.#at);
    this.#at += 1;
  }

  #token(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found === undefined) throw new Fault(this.#at);
    this.#at += found.length;
    return found;
  }

  /** Reads a string character by character. A picture in a string has megabytes, which is too much for a regular expression. */
  #string(): void {
    this.#expect('"');
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === QUOTE) break;
      // At the end of the text, `code` is NaN and also fails this comparison.
      if (!(code >= FIRST_PRINTABLE)) throw new Fault(this.#at);
      if (code === BACKSLASH) this.#token(ESCAPE);
      else this.#at += 1;
    }
    this.#at += 1;
  }

  #space(): void {
    this.#token(SPACE);
  }
}

// Sticky patterns match only at the current place.
const SPACE = /[ \t\r\n]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
