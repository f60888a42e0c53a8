/** The parts of a regular expression (ECMA-262, 22.2.1) that decide how many steps a match takes. */
export type Syntax =
  /** One character: a literal, an escape, a class or the dot. `source` is its text in the pattern. */
  | { kind: "one"; source: string }
  /** A place between characters: `^`, `$`, `\b`, `\B`. */
  | { kind: "place"; source: string }
  /** A look-ahead or look-behind. It matches no character itself. */
  | { kind: "look"; behind: boolean; negative: boolean; body: Syntax }
  | { kind: "sequence"; parts: Syntax[] }
  | { kind: "choice"; ways: Syntax[] }
  | { kind: "repeat"; min: number; max: number; lazy: boolean; body: Syntax };

/** Reads a pattern. @throws for a back-reference, which no pattern of the sources has, and whose steps cannot be bounded. */
export function syntaxOf(source: string): Syntax {
  const reader = new Reader(source);
  const syntax = reader.choice();
  if (!reader.atEnd) throw new Error(`cannot read ${source} from ${reader.at} on`);
  return syntax;
}

class Reader {
  readonly #source: string;
  at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  get atEnd(): boolean {
    return this.at >= this.#source.length;
  }

  choice(): Syntax {
    const ways = [this.#sequence()];
    while (this.#takes("|")) ways.push(this.#sequence());
    return ways.length === 1 && ways[0] !== undefined ? ways[0] : { kind: "choice", ways };
  }

  #sequence(): Syntax {
    const parts: Syntax[] = [];
    while (!this.atEnd && !"|)".includes(this.#source.charAt(this.at))) parts.push(this.#repeated(this.#atom()));
    return { kind: "sequence", parts };
  }

  #repeated(body: Syntax): Syntax {
    const [whole, counts] = this.#match(/^(?:[*+?]|\{(\d+(?:,\d*)?)\})/);
    if (whole === undefined) return body;
    const lazy = this.#takes("?");
    if (counts === undefined) return { kind: "repeat", min: whole === "+" ? 1 : 0, max: whole === "?" ? 1 : Infinity, lazy, body };
    const [min = "", max] = counts.split(",");
    return { kind: "repeat", min: Number(min), max: max === undefined ? Number(min) : max === "" ? Infinity : Number(max), lazy, body };
  }

  #atom(): Syntax {
    const [group] = this.#match(/^\((?:\?(?:[:=!]|<[=!]|<\w+>))?/);
    if (group !== undefined) {
      const body = this.choice();
      if (!this.#takes(")")) throw new Error(`no end of a group in ${this.#source}`);
      if (!/[=!]$/.test(group)) return body;
      return { kind: "look", behind: group.includes("<"), negative: group.endsWith("!"), body };
    }
    const [place] = this.#match(/^(?:[\^$]|\\[bB])/);
    if (place !== undefined) return { kind: "place", source: place };
    const [one] = this.#match(
      /^(?:\[(?:\\.|[^\]\\])*\]|\\[pP]\{[^}]+\}|\\u\{[^}]+\}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\[^1-9k]|[^\\])/su,
    );
    if (one === undefined) throw new Error(`a back-reference, or nothing known, in ${this.#source} at ${this.at}`);
    return { kind: "one", source: one };
  }

  #takes(text: string): boolean {
    const taken = this.#source.startsWith(text, this.at);
    if (taken) this.at += text.length;
    return taken;
  }

  #match(pattern: RegExp): (string | undefined)[] {
    const match = pattern.exec(this.#source.slice(this.at));
    this.at += match?.[0].length ?? 0;
    return match ?? [];
  }
}
