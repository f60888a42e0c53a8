import { Refusal } from "../call/refusal.ts";

/** Where something stands in a text, both counted from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** Reads a body as JSON. Throws a `Refusal`: 2001 with the place of the fault. */
export function parseJsonText(bytes: Buffer): unknown {
  const text = decode(bytes);
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const scan = new JsonScan(text);
    throw new Refusal({ code: 2001, ...placeAt(text, scan.fault ?? text.length) });
  }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Not text at all: there is no place to name.
    throw new Refusal({ code: 2001, line: 1, column: 1 });
  }
}

export function placeAt(text: string, offset: number): TextPlace {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: offset - lineStart + 1 };
}

/** Deeper than any body may nest: a text like that is not followed to its end. */
const MAX_DEPTH = 200;

/** Thrown inside of the scan: where the text stops to be JSON. */
class Fault extends Error {
  readonly offset: number;

  constructor(offset: number) {
    super("not JSON");
    this.offset = offset;
  }
}

/**
 * Walks a text that `JSON.parse` has read or refused, for the places that it does not tell: of the first fault, of
 * the outermost elements and of their members.
 */
export class JsonScan {
  /** Offset of the first character that cannot stand there; undefined: the text is JSON. */
  readonly fault: number | undefined;
  /** The outermost value, or each element when it is an array: where it begins, and where its members do. */
  readonly elements: { start: number; members: Map<string, number> }[] = [];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.fault = this.#whole();
  }

  #whole(): number | undefined {
    try {
      this.#space();
      if (this.#text[this.#at] === "[") this.#items("]", () => this.#outer(), 0);
      else this.#outer();
      this.#space();
      if (this.#at < this.#text.length) throw new Fault(this.#at);
      return undefined;
    } catch (error) {
      if (error instanceof Fault) return error.offset;
      throw error;
    }
  }

  #outer(): void {
    this.#space();
    const members = new Map<string, number>();
    this.elements.push({ start: this.#at, members });
    this.#value(1, members);
  }

  #value(depth: number, members?: Map<string, number>): void {
    this.#space();
    const first = this.#text[this.#at];
    if (first === "{") this.#items("}", () => this.#member(depth, members), depth);
    else if (first === "[") this.#items("]", () => this.#value(depth + 1), depth);
    else if (first === '"') this.#string();
    else this.#token(first === "-" || /\d/.test(first ?? "") ? NUMBER : WORD);
  }

  #member(depth: number, members?: Map<string, number>): void {
    this.#space();
    const start = this.#at;
    this.#string();
    members?.set(this.#text.slice(start + 1, this.#at - 1), start);
    this.#space();
    this.#expect(":");
    this.#value(depth + 1);
  }

  #items(close: string, item: () => void, depth: number): void {
    if (depth > MAX_DEPTH) throw new Fault(this.#at);
    this.#at += 1;
    this.#space();
    if (this.#text[this.#at] === close) {
      this.#at += 1;
      return;
    }
    for (;;) {
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

  /** Step by step: a picture's text of megabytes is too long for a pattern. */
  #string(): void {
    this.#expect('"');
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === QUOTE) break;
      // Not a number: the text has ended.
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

// Sticky: each is tried at one place only.
const SPACE = /[ \t\r\n]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;
