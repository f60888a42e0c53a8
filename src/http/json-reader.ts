import { storableText } from "../kernel/json/storable.ts";

/** The path to a value: names of members and indexes in lists, from the outermost. */
export type JsonPath = readonly (string | number)[];

export type JsonExcess = "depth" | "members" | "values";

/** Bounds for one text. Reading ends where the text exceeds a bound. */
interface JsonLimits {
  depth: number;
  members: number;
  /** The maximum number of values of the whole text: objects, lists, texts, numbers, `true`, `false` and `null`. */
  values: number;
}

/** Thrown inside the reader to end the reading; `parseJson` catches it. */
export class JsonStop extends Error {
  /** Absent: the text is not JSON. */
  readonly excess: { kind: JsonExcess; path: JsonPath } | undefined;

  constructor(excess?: { kind: JsonExcess; path: JsonPath }) {
    super(excess === undefined ? "not valid JSON" : `too many ${excess.kind}`);
    this.excess = excess;
  }
}

/**
 * Reads JSON (RFC 8259) in one pass. If two members have the same name, the later member counts. A member named `__proto__` is dropped. The
 * standard parser has no limits, and it takes half a second for a megabyte when it also returns the source texts of numbers.
 */
export class JsonReader {
  readonly #text: string;
  readonly #limits: JsonLimits;
  readonly #numberOf: (text: string) => unknown;
  readonly #path: (string | number)[] = [];
  /** Different names of members, as far as they are counted. */
  readonly #names = new Set<string>();
  #at = 0;
  #values = 0;

  /** `numberOf` converts a number's text. Without it the text is returned. */
  constructor(text: string, limits: JsonLimits, numberOf: (text: string) => unknown = (written) => written) {
    this.#text = text;
    this.#limits = limits;
    this.#numberOf = numberOf;
  }

  /** Reads the only value of the text. @throws JsonStop */
  read(): unknown {
    const value = this.#value(0);
    this.#skipBlanks();
    if (this.#at < this.#text.length) throw new JsonStop();
    return value;
  }

  #value(depth: number): unknown {
    this.#skipBlanks();
    this.#values += 1;
    if (this.#values > this.#limits.values) throw this.#excess("values", depth);
    switch (this.#text.charCodeAt(this.#at)) {
      case QUOTE:
        return this.#string();
      case OPEN_BRACE:
        return this.#object(depth + 1);
      case OPEN_BRACKET:
        return this.#list(depth + 1);
      case LETTER_T:
        return this.#word("true", true);
      case LETTER_F:
        return this.#word("false", false);
      case LETTER_N:
        return this.#word("null", null);
      default:
        return this.#numberOf(this.#number());
    }
  }

  #object(depth: number): object {
    if (depth > this.#limits.depth) throw this.#excess("depth", depth - 1);
    const members: Record<string, unknown> = this.#names.size < MANY_NAMES ? {} : objectOfNewNames();
    this.#at += 1;
    this.#skipBlanks();
    if (this.#takes(CLOSE_BRACE)) return members;
    for (let count = 1; ; count += 1) {
      this.#skipBlanks();
      if (this.#text.charCodeAt(this.#at) !== QUOTE) throw new JsonStop();
      const name = this.#string();
      this.#path[depth - 1] = name;
      if (this.#names.size < MANY_NAMES) this.#names.add(name);
      if (count > this.#limits.members) throw this.#excess("members", depth);
      this.#skipBlanks();
      if (!this.#takes(COLON)) throw new JsonStop();
      const value = this.#value(depth);
      if (name !== "__proto__") members[name] = value;
      this.#skipBlanks();
      if (this.#takes(CLOSE_BRACE)) return members;
      if (!this.#takes(COMMA)) throw new JsonStop();
    }
  }

  #list(depth: number): unknown[] {
    if (depth > this.#limits.depth) throw this.#excess("depth", depth - 1);
    const items: unknown[] = [];
    this.#at += 1;
    this.#skipBlanks();
    if (this.#takes(CLOSE_BRACKET)) return items;
    for (;;) {
      this.#path[depth - 1] = items.length;
      items.push(this.#value(depth));
      this.#skipBlanks();
      if (this.#takes(CLOSE_BRACKET)) return items;
      if (!this.#takes(COMMA)) throw new JsonStop();
    }
  }

  #string(): string {
    const text = this.#text;
    const begin = this.#at;
    let escaped = false;
    for (let at = begin + 1; ; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        this.#at = at + 1;
        return escaped ? unescaped(text.slice(begin, at + 1)) : text.slice(begin + 1, at);
      }
      if (code === BACKSLASH) {
        escaped = true;
        at += 1;
      } else if (!(code >= FIRST_IN_TEXT)) throw new JsonStop();
    }
  }

  #number(): string {
    NUMBER.lastIndex = this.#at;
    const [text] = NUMBER.exec(this.#text) ?? [];
    if (text === undefined) throw new JsonStop();
    this.#at += text.length;
    return text;
  }

  #word(word: string, value: boolean | null): boolean | null {
    if (!this.#text.startsWith(word, this.#at)) throw new JsonStop();
    this.#at += word.length;
    return value;
  }

  #skipBlanks(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== SPACE && code !== LINE_FEED && code !== CARRIAGE_RETURN && code !== TAB) return;
      this.#at += 1;
    }
  }

  #takes(code: number): boolean {
    if (this.#text.charCodeAt(this.#at) !== code) return false;
    this.#at += 1;
    return true;
  }

  #excess(kind: JsonExcess, length: number): JsonStop {
    return new JsonStop({ kind, path: this.#path.slice(0, length) });
  }
}

/**
 * Makes an empty object for names that no object had before. V8 keeps a table of its members. For a usual object V8 would keep a
 * description of its names, and making a description takes longer than reading the member.
 */
function objectOfNewNames(): Record<string, unknown> {
  return Object.setPrototypeOf(Object.create(null), Object.prototype);
}

/** More different names than any document of the contracts has. */
const MANY_NAMES = 300;

/**
 * Decodes a literal that has escapes. Uses the standard parser, which refuses wrong escapes. Literals without escapes need no
 * `storableText`: only an escape can make a character that no database can store.
 */
function unescaped(literal: string): string {
  try {
    return storableText(JSON.parse(literal) as string);
  } catch (error) {
    if (error instanceof SyntaxError) throw new JsonStop();
    throw error;
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const FIRST_IN_TEXT = 0x20;
const LETTER_F = 0x66;
const LETTER_N = 0x6e;
const LETTER_T = 0x74;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
