import { type CommandName, commandOf, EXTENDED, nameOf } from "../commands/commands.ts";

export type Direction = "out" | "in";

/** Whether the next byte in a frame's data is private and must not be logged. `data`: the bytes before it. */
export function isNextPrivate(data: Uint8Array, direction: Direction): boolean {
  const name = nameOf(data);
  if (name === undefined) return false;
  return privateRanges(name, data, direction).some(([from, to]) => from <= data.length && data.length < to);
}

const PASSWORD_BYTES = 4;
/** Tags that identify the buyer, and tags with codes of marked goods. */
const PRIVATE_TAGS = new Set([1008, 1227, 1228, 1243, 1244, 1245, 1246, 1254, 1256, 1162, 1163, 1300, 1305, 1306, 2000]);
/** The tag of a position, which contains requisites. */
const ITEM_TAG = 1059;
const TAG_COMMANDS: readonly CommandName[] = ["documentTags", "itemTags", "readTlv"];
const MARK_COMMANDS: readonly CommandName[] = ["checkMark", "bindMark"];
/** Table and field of the operators' passwords, and the field number's position in a command that writes a table. */
const OPERATORS_TABLE = 2;
const PASSWORD_FIELD = 1;
const FIELD_AT = 3;

/**
 * Returns the private ranges in the data, each from its first byte to the byte after its last. Some of the bytes may not have arrived yet.
 */
function privateRanges(name: CommandName, data: Uint8Array, direction: Direction): [number, number][] {
  const body = data[0] === EXTENDED ? 2 : 1;
  const isRequest = direction === "out";
  const hasPassword = isRequest && "password" in commandOf(name).request;
  const start = isRequest ? body + (hasPassword ? PASSWORD_BYTES : 0) : body + 1;
  const ranges: [number, number][] = hasPassword ? [[body, start]] : [];
  if (TAG_COMMANDS.includes(name)) ranges.push(...privateTags(data, start, data.length));
  if (isRequest && MARK_COMMANDS.includes(name)) ranges.push([start, Number.POSITIVE_INFINITY]);
  if (isRequest && name === "writeTable" && data[start] === OPERATORS_TABLE && data[start + FIELD_AT] === PASSWORD_FIELD) {
    ranges.push([start + FIELD_AT + 1, Number.POSITIVE_INFINITY]);
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
