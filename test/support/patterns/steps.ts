import { type Syntax, syntaxOf } from "./syntax.ts";

/** Thrown when the limit of steps is passed, because an exponential pattern would never end. */
class TooMany extends Error {}

/**
 * Counts the steps of a backtracking matcher that works like V8's. A step is one part that is tried at one place. Unlike time,
 * the number of steps is the same on every machine.
 */
export class StepCounter {
  readonly #syntax: Syntax;
  readonly #flags: string;
  readonly #anchored: boolean;
  readonly #members = new Map<string, Map<number, boolean>>();
  #text = "";
  #steps = 0;
  #limit = 0;

  constructor(source: string, flags: string) {
    this.#syntax = syntaxOf(source);
    this.#flags = flags;
    this.#anchored = !flags.includes("m") && isAnchored(this.#syntax);
  }

  get syntax(): Syntax {
    return this.#syntax;
  }

  /** The steps of one use of the pattern: of all matches for a global pattern, otherwise of the first match. Ends at the limit. */
  steps(text: string, limit: number): number {
    this.#text = text;
    this.#steps = 0;
    this.#limit = limit;
    try {
      let from = 0;
      do {
        const end = this.#search(from);
        if (end === undefined || !this.#flags.includes("g")) break;
        from = end;
      } while (from <= text.length);
    } catch (error) {
      if (!(error instanceof TooMany)) throw error;
    }
    return this.#steps;
  }

  /** Whether the class contains the character, or the character is the literal. */
  has(source: string, code: number): boolean {
    const known = this.#members.get(source) ?? new Map<number, boolean>();
    this.#members.set(source, known);
    const kept = known.get(code);
    if (kept !== undefined) return kept;
    const flags = [...this.#flags].filter((flag) => "ius".includes(flag)).join("");
    const has = new RegExp(`^(?:${source})$`, flags).test(String.fromCharCode(code));
    known.set(code, has);
    return has;
  }

  /** The place at which the next search begins. Undefined: nothing was found. */
  #search(from: number): number | undefined {
    const last = this.#anchored || this.#flags.includes("y") ? from : this.#text.length;
    if (this.#anchored && from > 0) return undefined;
    for (let start = from; start <= last; start += 1) {
      const end = this.#match(this.#syntax, start, 1, (at) => at);
      if (end !== undefined) return end === start ? end + 1 : end;
    }
    return undefined;
  }

  /** The end of the match, after `then` has matched too. `way` is -1 inside a look-behind. */
  #match(syntax: Syntax, at: number, way: 1 | -1, then: (at: number) => number | undefined): number | undefined {
    this.#steps += 1;
    if (this.#steps > this.#limit) throw new TooMany();
    switch (syntax.kind) {
      case "one": {
        const code = this.#text.charCodeAt(way === 1 ? at : at - 1);
        return !Number.isNaN(code) && this.has(syntax.source, code) ? then(at + way) : undefined;
      }
      case "place":
        return this.#isPlace(syntax.source, at) ? then(at) : undefined;
      case "look": {
        const seen = this.#match(syntax.body, at, syntax.behind ? -1 : 1, (end) => end);
        return (seen !== undefined) !== syntax.negative ? then(at) : undefined;
      }
      case "sequence":
        return this.#parts(way === 1 ? syntax.parts : syntax.parts.toReversed(), 0, at, way, then);
      case "choice":
        for (const alternative of syntax.ways) {
          const end = this.#match(alternative, at, way, then);
          if (end !== undefined) return end;
        }
        return undefined;
      case "repeat":
        return this.#repeat(syntax, 0, at, way, then);
    }
  }

  #parts(parts: readonly Syntax[], next: number, at: number, way: 1 | -1, then: (at: number) => number | undefined): number | undefined {
    const part = parts[next];
    return part === undefined ? then(at) : this.#match(part, at, way, (end) => this.#parts(parts, next + 1, end, way, then));
  }

  #repeat(
    syntax: Syntax & { kind: "repeat" },
    done: number,
    at: number,
    way: 1 | -1,
    then: (at: number) => number | undefined,
  ): number | undefined {
    const more = () =>
      done >= syntax.max
        ? undefined
        : this.#match(syntax.body, at, way, (end) =>
            end === at && done >= syntax.min ? undefined : this.#repeat(syntax, done + 1, end, way, then),
          );
    if (done < syntax.min) return more();
    return syntax.lazy ? (then(at) ?? more()) : (more() ?? then(at));
  }

  #isPlace(source: string, at: number): boolean {
    const multiline = this.#flags.includes("m");
    if (source === "^") return at === 0 || (multiline && isLineEnd(this.#text.charCodeAt(at - 1)));
    if (source === "$") return at === this.#text.length || (multiline && isLineEnd(this.#text.charCodeAt(at)));
    const boundary = isWord(this.#text.charCodeAt(at - 1)) !== isWord(this.#text.charCodeAt(at));
    return boundary === (source === "\\b");
  }
}

/** Whether every alternative begins with `^`. For such patterns V8 tries only the first place. */
function isAnchored(syntax: Syntax): boolean {
  if (syntax.kind === "choice") return syntax.ways.every(isAnchored);
  if (syntax.kind === "sequence") return syntax.parts[0] !== undefined && isAnchored(syntax.parts[0]);
  return syntax.kind === "place" && syntax.source === "^";
}

function isLineEnd(code: number): boolean {
  return code === 0x0a || code === 0x0d || code === 0x2028 || code === 0x2029;
}

function isWord(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || code === 0x5f || (code >= 0x61 && code <= 0x7a);
}
