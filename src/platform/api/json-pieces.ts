import { isUtf8 } from "node:buffer";

/** Bounds for parsing JSON. The standard parser has none: a megabyte of brackets needs much more memory than a megabyte of words. */
export interface JsonBounds {
  depth: number;
  /**
   * The maximum number of marks of structure: `{`, `[`, `:` and `,` outside texts. A mark begins each list, object, name or value, so this
   * number bounds the memory.
   */
  marks: number;
  /** The longest text, in bytes. A stretch without a comma may be longer by `BYTES_A_STEP`. A text or a stretch is parsed in one step. */
  textBytes: number;
}

/** The text exceeds a bound, which the message names. */
export class JsonTooLarge extends Error {
  constructor(excess: string) {
    super(excess);
    this.name = "JsonTooLarge";
  }
}

/**
 * Bytes parsed in one step. The worst text, objects with many different names, takes about 50 ns a byte: 3 ms a step, plus garbage
 * collection.
 */
const BYTES_A_STEP = 64 * 1024;
/** The longest piece in which bytes that are no UTF-8 are replaced. */
const MAX_REPLACED_BYTES = 256 * 1024;
/** The maximum number of members of an object that is parsed in pieces. Objects of the platform have some dozens. */
const MAX_MEMBERS = 10_000;

/**
 * The maximum number of items of a list that is parsed in pieces. A stock report of 16 MiB has 280,000 rows. Growing a list of millions
 * takes too long in one step.
 */
const MAX_ITEMS = 300_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

interface Open {
  readonly form: "list" | "object";
  readonly beginsAt: number;
  /** The first byte that is not parsed. Only whole items and their commas follow, and then the unfinished item. */
  restAt: number;
  /** The first byte of the unfinished item. */
  itemAt: number;
  /** What must follow at `restAt`. `comma`: the previous item was parsed in pieces and is in `made`. */
  next: "item" | "comma";
  /**
   * The parsed items. Undefined until the first item is parsed. If it stays undefined, the list or object is parsed as a part of its
   * parent.
   */
  made: unknown[] | Map<string, unknown> | undefined;
}

/**
 * Parses JSON like the standard parser, in pieces of about `BYTES_A_STEP` bytes, and yields between them for other work. Cuts a long list
 * or object at its commas, lets the standard parser parse each piece, and joins the values. Checks `bounds` for each piece before the piece
 * is parsed. Throws `SyntaxError` when the text is not JSON, and `JsonTooLarge` when the text exceeds a bound.
 */
export function* jsonInPieces(bytes: Buffer, bounds: JsonBounds, bytesAStep = BYTES_A_STEP): Generator<undefined, unknown> {
  const pieces = new Pieces(bytes, bytesAStep);
  let depth = 0;
  let marks = 0;
  for (let at = 0, yieldedAt = 0, commaAt = -1; at < bytes.length; at += 1) {
    switch (bytes[at]) {
      case QUOTE:
        at = endOfText(bytes, at, bounds.textBytes);
        break;
      case COLON:
        marks += 1;
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        depth += 1;
        if (depth > bounds.depth) throw new JsonTooLarge(`more than ${bounds.depth} levels`);
        marks += 1;
        pieces.open(bytes[at] === OPEN_BRACE ? "object" : "list", at);
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth -= 1;
        pieces.close(bytes[at] === CLOSE_BRACE ? "object" : "list", at);
        break;
      case COMMA:
        marks += 1;
        pieces.comma(at);
        commaAt = at;
        break;
      default:
        // A stretch without a comma, such as a long number, blanks or a web page, is parsed in one step. So its length is bounded too.
        if (at - commaAt > bounds.textBytes + bytesAStep) throw new JsonTooLarge(`more than ${bounds.textBytes} bytes without a comma`);
        continue;
    }
    if (marks > bounds.marks) throw new JsonTooLarge(`more than ${bounds.marks} brackets, colons and commas`);
    if (at - yieldedAt + pieces.takeParsedBytes() > bytesAStep) {
      yieldedAt = at;
      yield;
    }
  }
  return pieces.whole();
}

/** The position of the closing quote, or of the end of the bytes. Throws `JsonTooLarge` for a text that is too long. */
function endOfText(bytes: Buffer, begin: number, textBytes: number): number {
  const stop = Math.min(bytes.length, begin + textBytes + 2);
  let at = begin + 1;
  while (at < stop && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  if (at >= stop && stop < bytes.length) throw new JsonTooLarge(`a text of more than ${textBytes} bytes`);
  return at;
}

class Pieces {
  readonly #bytes: Buffer;
  readonly #bytesAStep: number;
  readonly #open: Open[] = [];
  /** The position of the last cut, at any depth of nesting. */
  #cutAt = 0;
  #parsedBytes = 0;
  /** The outermost value and its position, when it was made of pieces. */
  #root: { value: unknown; beginsAt: number; endsAt: number } | undefined;

  constructor(bytes: Buffer, bytesAStep: number) {
    this.#bytes = bytes;
    this.#bytesAStep = bytesAStep;
  }

  takeParsedBytes(): number {
    const parsed = this.#parsedBytes;
    this.#parsedBytes = 0;
    return parsed;
  }

  open(form: Open["form"], at: number): void {
    this.#open.push({ form, beginsAt: at, restAt: at + 1, itemAt: at + 1, next: "item", made: undefined });
  }

  comma(at: number): void {
    const inside = this.#open.at(-1);
    if (inside === undefined) return;
    if (inside.next === "comma") {
      this.#mustBeBlank(inside.restAt, at);
      inside.next = "item";
      inside.restAt = at + 1;
    } else if (at - this.#cutAt > this.#bytesAStep) {
      this.#parseRest(inside, at);
      inside.restAt = at + 1;
      this.#cutAt = at;
    }
    inside.itemAt = at + 1;
  }

  close(form: Open["form"], at: number): void {
    const closed = this.#open.pop();
    if (closed?.form !== form) throw new SyntaxError("a bracket closes what was not opened");
    if (closed.made === undefined) return;
    if (closed.next === "comma") this.#mustBeBlank(closed.restAt, at);
    else this.#parseRest(closed, at);
    const value = closed.made instanceof Map ? Object.fromEntries(closed.made) : closed.made;
    const parent = this.#open.at(-1);
    if (parent === undefined) {
      if (this.#root !== undefined) throw new SyntaxError("two values");
      this.#root = { value, beginsAt: closed.beginsAt, endsAt: at + 1 };
    } else this.#putInto(parent, value, closed.beginsAt, at);
  }

  whole(): unknown {
    if (this.#root === undefined) return JSON.parse(this.#text(0, this.#bytes.length));
    this.#mustBeBlank(0, this.#root.beginsAt);
    this.#mustBeBlank(this.#root.endsAt, this.#bytes.length);
    return this.#root.value;
  }

  /** Puts the value into its parent. The value's bytes are `beginsAt` to `endsAt`. The value is the parent's unfinished item. */
  #putInto(parent: Open, value: unknown, beginsAt: number, endsAt: number): void {
    if (parent.next === "comma") throw new SyntaxError("two items without a comma");
    if (parent.itemAt > parent.restAt) this.#parseRest(parent, parent.itemAt - 1);
    parent.made ??= parent.form === "list" ? [] : new Map();
    if (parent.made instanceof Map) {
      // The bytes before the value are its name and a colon. Braces and the value 0 make them a whole object, which is parsed to get the
      // name.
      const named = Object.keys(JSON.parse(`{${this.#text(parent.itemAt, beginsAt)}0}`) as object);
      setAll(parent.made, named, [value]);
    } else {
      this.#mustBeBlank(parent.itemAt, beginsAt);
      parent.made.push(value);
    }
    parent.next = "comma";
    parent.restAt = endsAt + 1;
  }

  /** Parses the whole items before the position `to`. There must be at least one. */
  #parseRest(open: Open, to: number): void {
    const text = this.#text(open.restAt, to);
    if (text.trim() === "") throw new SyntaxError("an item is missing");
    this.#parsedBytes += to - open.restAt;
    if (open.form === "list") {
      open.made ??= [];
      const made = open.made as unknown[];
      for (const item of JSON.parse(`[${text}]`) as unknown[]) made.push(item);
      if (made.length > MAX_ITEMS) throw new JsonTooLarge(`a list of more than ${MAX_ITEMS} items`);
    } else {
      open.made ??= new Map();
      const members = JSON.parse(`{${text}}`) as Record<string, unknown>;
      setAll(open.made as Map<string, unknown>, Object.keys(members), Object.values(members));
    }
  }

  #mustBeBlank(from: number, to: number): void {
    if (/[^ \t\r\n]/.test(this.#text(from, to))) throw new SyntaxError("something stands beside a value");
  }

  /** Throws `SyntaxError` for a long piece that is not UTF-8. In a short piece the wrong bytes are replaced. */
  #text(from: number, to: number): string {
    // Replacing the wrong bytes of megabytes takes too long in one step.
    if (to - from > MAX_REPLACED_BYTES && !isUtf8(this.#bytes.subarray(from, to))) throw new SyntaxError("not UTF-8");
    return this.#bytes.toString("utf8", from, to);
  }
}

function setAll(members: Map<string, unknown>, names: readonly string[], values: readonly unknown[]): void {
  for (const [at, name] of names.entries()) members.set(name, values[at]);
  // Growing the map further would take too long in one step.
  if (members.size > MAX_MEMBERS) throw new JsonTooLarge(`an object of more than ${MAX_MEMBERS} members`);
}
