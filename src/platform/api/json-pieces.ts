import { CLOSE_BRACE, CLOSE_BRACKET, COMMA, endOfText, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "./json-measure.ts";

/**
 * Bytes that are parsed in one step. The worst text, objects whose names are all different, takes about 50 ns a byte: about
 * 3 ms a step. Garbage collection comes on top.
 */
const BYTES_A_STEP = 64 * 1024;
/** The largest number of members of an object that is parsed in pieces. Objects of the platform have some dozens. */
const MAX_MEMBERS = 10_000;

/** An object has more members than `MAX_MEMBERS`: growing it further would take long in one step. */
export class TooManyMembers extends Error {
  constructor() {
    super(`an object of more than ${MAX_MEMBERS} members`);
    this.name = "TooManyMembers";
  }
}

/** A list or an object that the reader is inside of. */
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
   * The parsed items. Undefined until the first item is parsed. A list or object that ends undefined is parsed as part of its
   * parent.
   */
  made: unknown[] | Map<string, unknown> | undefined;
}

/**
 * Parses JSON as the standard parser does, in pieces of at most about `BYTES_A_STEP` bytes, and yields between them so that other
 * work may run. A long list or object is taken apart at its commas, every piece is parsed by the standard parser, and the values
 * are put together again. Throws `SyntaxError` when the text is not JSON, and `TooManyMembers`.
 */
export function* jsonInPieces(bytes: Buffer, bytesAStep = BYTES_A_STEP): Generator<undefined, unknown> {
  const pieces = new Pieces(bytes, bytesAStep);
  for (let at = 0, yieldedAt = 0; at < bytes.length; at += 1) {
    switch (bytes[at]) {
      case QUOTE:
        at = endOfText(bytes, at);
        continue;
      case OPEN_BRACE:
        pieces.open("object", at);
        continue;
      case OPEN_BRACKET:
        pieces.open("list", at);
        continue;
      case CLOSE_BRACE:
        pieces.close("object", at);
        break;
      case CLOSE_BRACKET:
        pieces.close("list", at);
        break;
      case COMMA:
        pieces.comma(at);
        break;
      default:
        continue;
    }
    if (at - yieldedAt + pieces.takeParsedBytes() > bytesAStep) {
      yieldedAt = at;
      yield;
    }
  }
  return pieces.whole();
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
  if (members.size > MAX_MEMBERS) throw new TooManyMembers();
}
