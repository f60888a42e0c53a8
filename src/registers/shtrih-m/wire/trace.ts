import { type CommandName, commandOf, EXTENDED, nameOf } from "../commands/commands.ts";
import { ACK, ENQ, NAK, STX } from "./frame.ts";
import { ESCAPE, ESCAPED_ESCAPE, ESCAPED_START, FRAME_START } from "./frame-numbered.ts";

/** A piece of the stream as a log may show it. */
export interface DescribedPiece {
  /** Its command or control byte; absent where the piece begins in the middle of a frame. */
  name?: string;
  /** Hexadecimal, with passwords, buyers' data and marking codes hidden. */
  shown: string;
}

export type Direction = "out" | "in";

/**
 * Makes the function that tells what the pieces of one link's stream are, in either protocol: an 8F outside a
 * frame begins one of 2.0. It remembers a frame that has not ended, so that nothing private shows when a frame
 * comes in pieces.
 */
export function pieceDescriber(): (piece: Uint8Array, direction: Direction) => DescribedPiece {
  const begun: Record<Direction, Uint8Array> = { out: new Uint8Array(0), in: new Uint8Array(0) };
  return (piece, direction) => {
    const before = begun[direction];
    const { names, shown, rest } = describe(Buffer.concat([before, piece]), direction);
    begun[direction] = rest;
    const [name] = before.length === 0 ? names : [];
    return { ...(name === undefined ? {} : { name }), shown: shown.slice(before.length).join(" ") };
  };
}

/** `FF45 close receipt`. */
export function titleOf(name: CommandName): string {
  const { code, title } = commandOf(name);
  return `${code.map(hex).join("")} ${title}`;
}

const CONTROLS = new Map([
  [ENQ, "ENQ"],
  [ACK, "ACK"],
  [NAK, "NAK"],
]);
const HIDDEN = "..";

/** The names of whole frames and single bytes, every byte as it is shown, and a frame that has not ended. */
function describe(bytes: Uint8Array, direction: Direction): { names: string[]; shown: string[]; rest: Uint8Array } {
  const names: string[] = [];
  const shown = Array.from(bytes, hex);
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] ?? 0;
    if (byte !== STX && byte !== FRAME_START) {
      const control = CONTROLS.get(byte);
      if (control !== undefined && bytes.length === 1) names.push(control);
      at += 1;
      continue;
    }
    const { data, places, end } = byte === STX ? frameAt(bytes, at) : numberedFrameAt(bytes, at);
    const command = nameOf(data);
    if (command !== undefined) {
      names.push(titleOf(command));
      for (const [from, to] of privateRanges(command, data, direction)) {
        const last = places[Math.min(to, data.length)] ?? at;
        for (let place = places[from] ?? last; place < last; place += 1) shown[place] = HIDDEN;
      }
    }
    if (end === undefined) return { names, shown, rest: bytes.slice(at) };
    at = end;
  }
  return { names, shown, rest: new Uint8Array(0) };
}

interface FramePlaces {
  /** As far as it has come. */
  data: Uint8Array;
  /** Where each byte of the data begins, and where the last one ends. */
  places: number[];
  /** Behind the frame; undefined while it has not ended. */
  end: number | undefined;
}

/** Marker and length before DATA, the check byte after it. */
const HEAD_BYTES = 2;
const FRAME_BYTES = 3;

function frameAt(bytes: Uint8Array, at: number): FramePlaces {
  const end = at + FRAME_BYTES + (bytes[at + 1] ?? 0);
  const data = bytes.subarray(at + HEAD_BYTES, end - 1);
  const places = Array.from({ length: data.length + 1 }, (_, place) => at + HEAD_BYTES + place);
  return { data, places, end: end > bytes.length ? undefined : end };
}

/** Length and number before DATA, which the length counts half of; the check behind it. */
const NUMBERED_HEAD_BYTES = 4;
const LENGTH_BYTES = 2;
const CHECK_BYTES = 2;

/** A frame of 2.0: its bytes are stuffed, and it ends early where another begins or an escape means nothing. */
function numberedFrameAt(bytes: Uint8Array, at: number): FramePlaces {
  const plain: number[] = [];
  const places: number[] = [];
  let next = at + 1;
  for (;;) {
    const size = (plain[0] ?? 0) + (plain[1] ?? 0) * 256;
    const whole = plain.length >= LENGTH_BYTES && plain.length === LENGTH_BYTES + size + CHECK_BYTES;
    const first = bytes[next];
    if (whole || first === undefined || first === FRAME_START) {
      const dataEnd = plain.length >= LENGTH_BYTES ? LENGTH_BYTES + size : plain.length;
      const data = Uint8Array.from(plain.slice(NUMBERED_HEAD_BYTES, dataEnd));
      const ends = [...places, next].slice(NUMBERED_HEAD_BYTES, NUMBERED_HEAD_BYTES + data.length + 1);
      return { data, places: ends, end: whole || first === FRAME_START ? next : undefined };
    }
    places.push(next);
    plain.push(first === ESCAPE ? (UNSTUFFED.get(bytes[next + 1] ?? 0) ?? ESCAPE) : first);
    next += first === ESCAPE && UNSTUFFED.has(bytes[next + 1] ?? 0) ? 2 : 1;
  }
}

const UNSTUFFED = new Map([
  [ESCAPED_START, FRAME_START],
  [ESCAPED_ESCAPE, ESCAPE],
]);

function hex(byte: number): string {
  return byte.toString(16).padStart(2, "0").toUpperCase();
}

const PASSWORD_BYTES = 4;
/** Tags that say who the buyer is, and the codes of marked goods. */
const PRIVATE_TAGS = new Set([1008, 1227, 1228, 1243, 1244, 1245, 1246, 1254, 1256, 1162, 1163, 1300, 1305, 1306, 2000]);
/** A position: requisites inside a requisite. */
const ITEM_TAG = 1059;
const TAG_COMMANDS: readonly CommandName[] = ["documentTags", "itemTags", "readTlv"];
const MARK_COMMANDS: readonly CommandName[] = ["checkMark", "bindMark"];
/** Table and field that hold the operators' passwords, and where a writing of tables names them. */
const OPERATORS_TABLE = 2;
const PASSWORD_FIELD = 1;
const FIELD_AT = 3;

/** Places in DATA that no log may show. */
function privateRanges(name: CommandName, data: Uint8Array, direction: Direction): [number, number][] {
  const body = data[0] === EXTENDED ? 2 : 1;
  const asked = direction === "out";
  const hasPassword = asked && "password" in commandOf(name).request;
  const start = asked ? body + (hasPassword ? PASSWORD_BYTES : 0) : body + 1;
  const ranges: [number, number][] = hasPassword ? [[body, start]] : [];
  if (TAG_COMMANDS.includes(name)) ranges.push(...privateTags(data, start, data.length));
  if (asked && MARK_COMMANDS.includes(name)) ranges.push([start, data.length]);
  if (asked && name === "writeTable" && data[start] === OPERATORS_TABLE && data[start + FIELD_AT] === PASSWORD_FIELD) {
    ranges.push([start + FIELD_AT + 1, data.length]);
  }
  return ranges;
}

function privateTags(data: Uint8Array, start: number, stop: number): [number, number][] {
  const ranges: [number, number][] = [];
  for (let at = start; at + 4 <= stop; ) {
    const tag = (data[at] ?? 0) + (data[at + 1] ?? 0) * 256;
    const end = at + 4 + (data[at + 2] ?? 0) + (data[at + 3] ?? 0) * 256;
    if (PRIVATE_TAGS.has(tag)) ranges.push([at + 4, end]);
    else if (tag === ITEM_TAG) ranges.push(...privateTags(data, at + 4, Math.min(end, stop)));
    at = end;
  }
  return ranges;
}
