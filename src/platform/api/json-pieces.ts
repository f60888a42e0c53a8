/**
 * Bounds for a text that is parsed as JSON. The standard parser has none, and it needs much more memory for a megabyte
 * of brackets than for a megabyte of words.
 */
export interface JsonBounds {
  /** The deepest allowed nesting of lists and objects. */
  depth: number;
  /**
   * The largest number of marks of structure: `{`, `[`, `:` and `,` outside texts. Each begins a list, an object, a name or a
   * value, so this bounds the memory of the values.
   */
  marks: number;
  /** The largest number of bytes of one text: a text is parsed in one go. */
  textBytes: number;
}

/** The text exceeds a bound. The message names it. */
export class JsonTooLarge extends Error {
  constructor(excess: string) {
    super(excess);
    this.name = "JsonTooLarge";
  }
}

/**
 * Bytes that are parsed in one step. The worst text, objects whose names are all different, takes about 50 ns a byte: about
 * 3 ms a step. Garbage collection comes on top.
 */
const BYTES_A_STEP = 64 * 1024;
/** The largest number of members of an object that is parsed in pieces. Objects of the platform have some dozens. */
const MAX_MEMBERS = 10_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** A list or an object that has begun and has not ended yet. */
interface Open {
  readonly form: "list" | "object";
  readonly beginsAt: number;
  /** The first byte that is not parsed yet. After it come only whole items, their commas, and last the item that is being read. */
  restAt: number;
  /** Where the item that is being read begins. */
  itemAt: number;
  /** What must come next at `restAt`. `comma`: the item before it was parsed in pieces and is already in `made`. */
  next: "item" | "comma";
  /**
   * The parsed items. Undefined until the first item is parsed. If it is still undefined at the end, the list or object is parsed as a part
   * of its parent.
   */
  made: unknown[] | Map<string, unknown> | undefined;
}

/**
 * Parses JSON as the standard parser does, in pieces of at most about `BYTES_A_STEP` bytes, and yields between them so that other
 * work may run. A long list or object is taken apart at its commas, every piece is parsed by the standard parser, and the values
 * are put together again. No byte is parsed before the bounds are checked up to it. Throws `SyntaxError` when the text is not JSON, and
 * `JsonTooLarge`.
 */
export function* jsonInPieces(bytes: Buffer, bounds: JsonBounds, bytesAStep = BYTES_A_STEP): Generator<undefined, unknown> {
  const pieces = new Pieces(bytes, bytesAStep);
  let depth = 0;
  let marks = 0;
  for (let at = 0, yieldedAt = 0; at < bytes.length; at += 1) {
    switch (bytes[at]) {
      case QUOTE:
        at = endOfText(bytes, at, bounds.textBytes);
        continue;
      case COLON:
        marks += 1;
        continue;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        depth += 1;
        if (depth > bounds.depth) throw new JsonTooLarge(`more than ${bounds.depth} levels`);
        marks += 1;
        pieces.open(bytes[at] === OPEN_BRACE ? "object" : "list", at);
        continue;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth -= 1;
        pieces.close(bytes[at] === CLOSE_BRACE ? "object" : "list", at);
        break;
      case COMMA:
        marks += 1;
        pieces.comma(at);
        break;
      default:
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

/** The position of the quote that ends the text, or the end of the bytes. Throws `JsonTooLarge` when the text is too long. */
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
  /** Where a piece was cut off last, at any depth. */
  #cutAt = 0;
  #parsedBytes = 0;
  /** The outermost value, when it was made of pieces, and where it stands. */
  #root: { value: unknown; beginsAt: number; endsAt: number } | undefined;

  constructor(bytes: Buffer, bytesAStep: number) {
    this.#bytes = bytes;
    this.#bytesAStep = bytesAStep;
  }

  /** Bytes parsed since the last call. */
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

  /** Puts the value into its parent. The value stands from `beginsAt` to `endsAt`, and is the item that the parent is reading. */
  #putInto(parent: Open, value: unknown, beginsAt: number, endsAt: number): void {
    if (parent.next === "comma") throw new SyntaxError("two items without a comma");
    if (parent.itemAt > parent.restAt) this.#parseRest(parent, parent.itemAt - 1);
    parent.made ??= parent.form === "list" ? [] : new Map();
    if (parent.made instanceof Map) {
      // The bytes between the item's beginning and the value are a name and a colon.
      const named = Object.keys(JSON.parse(`{${this.#text(parent.itemAt, beginsAt)}0}`) as object);
      setAll(parent.made, named, [value]);
    } else {
      this.#mustBeBlank(parent.itemAt, beginsAt);
      parent.made.push(value);
    }
    parent.next = "comma";
    parent.restAt = endsAt + 1;
  }

  /** Parses the whole items up to `to`. There must be at least one. */
  #parseRest(open: Open, to: number): void {
    const text = this.#text(open.restAt, to);
    if (text.trim() === "") throw new SyntaxError("an item is missing");
    this.#parsedBytes += to - open.restAt;
    if (open.form === "list") {
      open.made ??= [];
      for (const item of JSON.parse(`[${text}]`) as unknown[]) (open.made as unknown[]).push(item);
    } else {
      open.made ??= new Map();
      const members = JSON.parse(`{${text}}`) as Record<string, unknown>;
      setAll(open.made as Map<string, unknown>, Object.keys(members), Object.values(members));
    }
  }

  #mustBeBlank(from: number, to: number): void {
    if (/[^ \t\r\n]/.test(this.#text(from, to))) throw new SyntaxError("something stands beside a value");
  }

  #text(from: number, to: number): string {
    return this.#bytes.toString("utf8", from, to);
  }
}

function setAll(members: Map<string, unknown>, names: readonly string[], values: readonly unknown[]): void {
  for (const [at, name] of names.entries()) members.set(name, values[at]);
  // To make the map larger would take too long in one step.
  if (members.size > MAX_MEMBERS) throw new JsonTooLarge(`an object of more than ${MAX_MEMBERS} members`);
}
