import { type CommandName, commandOf, nameOf } from "../commands/commands.ts";
import { ACK, ENQ, FrameParser, NAK, STX } from "./frame.ts";
import { FRAME_START, NumberedParser } from "./frame-numbered.ts";
import { type Direction, isNextPrivate } from "./private-bytes.ts";

interface DescribedPiece {
  /** The piece's command or control byte. Absent: the piece begins in the middle of a frame, or has no known command. */
  name?: string;
  /** Hexadecimal, with passwords, buyers' data and marking codes hidden. */
  shown: string;
}

/**
 * Returns a function that describes the pieces of one link's stream, in either protocol. The function tracks each direction across pieces,
 * so private bytes stay hidden in a split frame.
 */
export function pieceDescriber(): (piece: Uint8Array, direction: Direction) => DescribedPiece {
  const streams = { out: new DescribedStream("out"), in: new DescribedStream("in") };
  return (piece, direction) => streams[direction].describe(piece);
}

/** For example `FF45 close receipt`. */
function titleOf(name: CommandName): string {
  const { code, title } = commandOf(name);
  return `${code.map(hex).join("")} ${title}`;
}

const CONTROLS = new Map([
  [ENQ, "ENQ"],
  [ACK, "ACK"],
  [NAK, "NAK"],
]);
const HIDDEN = "..";

/**
 * One direction of the stream. Outside a frame, an 8F begins a frame of protocol 2.0. An STX begins a frame of 1.0, except after a
 * broken-off frame of 2.0.
 */
class DescribedStream {
  readonly #direction: Direction;
  readonly #enquired = new FrameParser();
  readonly #numbered = new NumberedParser();
  /** The parser of the newest frame. */
  #parser: FrameParser | NumberedParser | undefined;
  /** Whether a frame of protocol 2.0 was dropped before its end. The next bytes may be the rest of its data, so they are hidden. */
  #isBrokenOff = false;

  constructor(direction: Direction) {
    this.#direction = direction;
  }

  describe(piece: Uint8Array): DescribedPiece {
    const beginsInside = this.#isInside;
    let name = piece.length === 1 ? CONTROLS.get(piece[0] ?? 0) : undefined;
    const shown: string[] = [];
    for (const byte of piece) {
      shown.push(this.#isPrivate(byte) ? HIDDEN : hex(byte));
      this.#take(byte);
      name ??= this.#title();
    }
    return { ...(name === undefined || beginsInside ? {} : { name }), shown: shown.join(" ") };
  }

  get #isInside(): boolean {
    return this.#parser?.insideFrame === true;
  }

  #isPrivate(byte: number): boolean {
    if (byte === FRAME_START && (this.#isBrokenOff || this.#parser === this.#numbered)) return false;
    if (this.#isBrokenOff) return true;
    return this.#parser?.isDataNext === true && isNextPrivate(this.#parser.data, this.#direction);
  }

  #take(byte: number): void {
    if (!this.#isInside) this.#parser = this.#parserOf(byte);
    if (this.#parser === undefined) return;
    const isDamaged = this.#parser.push(Uint8Array.of(byte)).some(({ kind }) => kind === "damaged");
    this.#isBrokenOff = isDamaged && this.#parser === this.#numbered && !this.#isInside;
  }

  /** Returns the parser for the frame that this byte begins. */
  #parserOf(byte: number): FrameParser | NumberedParser | undefined {
    if (byte === FRAME_START) return this.#numbered;
    return byte === STX && !this.#isBrokenOff ? this.#enquired : undefined;
  }

  /** Returns the newest frame's command. Undefined: its code has not arrived yet. */
  #title(): string | undefined {
    const name = this.#isInside && this.#parser !== undefined ? nameOf(this.#parser.data) : undefined;
    return name === undefined ? undefined : titleOf(name);
  }
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, "0").toUpperCase();
}
