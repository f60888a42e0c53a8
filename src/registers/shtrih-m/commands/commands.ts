import { DRIVE_COMMANDS } from "./drive.ts";
import { readFields, type ValuesOf, writeFields } from "./layout.ts";
import { MARK_COMMANDS } from "./marks.ts";
import { RECEIPT_COMMANDS } from "./receipt.ts";
import { STATUS_COMMANDS } from "./status.ts";
import type { CommandRow } from "./table.ts";

/**
 * Every known command, by the name that this program uses. A driver writes requests and reads answers with this table; a device does the
 * reverse. The bytes are a frame's DATA, which is the same in protocols 1.0 and 2.0.
 */
export const COMMANDS = { ...STATUS_COMMANDS, ...RECEIPT_COMMANDS, ...DRIVE_COMMANDS, ...MARK_COMMANDS };

export type CommandName = keyof typeof COMMANDS;
export type RequestOf<N extends CommandName> = ValuesOf<(typeof COMMANDS)[N]["request"]>;
export type AnswerOf<N extends CommandName> = ValuesOf<(typeof COMMANDS)[N]["answer"]>;

/** First byte of the two-byte codes. */
export const EXTENDED = 0xff;

/** Returns a command's row without the field types. */
export function commandOf(name: CommandName): CommandRow {
  return COMMANDS[name];
}

/** Returns a request's DATA. Throws RangeError when a value does not fit its field. */
export function encodeRequest<N extends CommandName>(name: N, values: RequestOf<N>): Buffer {
  const { code, request } = commandOf(name);
  return Buffer.concat([Uint8Array.from(code), writeFields(request, values)]);
}

type DecodedRequest =
  | AnyRequest
  /** The table lacks the command: a device answers 37h. */
  | { kind: "unknown" }
  /** The command cannot have this length: a device answers 7Eh. */
  | { kind: "wrong-length"; name: CommandName };

/** A request whose `name` decides the type of its `values`. */
export type AnyRequest = { [N in CommandName]: { kind: "request"; name: N; values: RequestOf<N> } }[CommandName];

/** Reads a request's DATA, for a device. Never throws. */
export function decodeRequest(data: Buffer): DecodedRequest {
  const name = nameOf(data);
  if (name === undefined) return { kind: "unknown" };
  const { code, request } = commandOf(name);
  const read = readFields(request, data.subarray(code.length));
  if (read.kind === "short" || read.tail.length > 0) return { kind: "wrong-length", name };
  return { kind: "request", name, values: read.values } as AnyRequest;
}

/** Returns the DATA of an answer without error. `tail`: extra bytes of newer firmware. Throws RangeError as `encodeRequest` does. */
export function encodeAnswer<N extends CommandName>(name: N, values: AnswerOf<N>, tail: Uint8Array = NOTHING): Buffer {
  const { code, answer } = commandOf(name);
  return Buffer.concat([Uint8Array.from(code), Uint8Array.of(0), writeFields(answer, values), tail]);
}

/** Returns the DATA of an error answer. `short`: the form `FF 37` of some firmware for a missing FF command. */
export function encodeError(name: CommandName, error: number, form: "full" | "short" = "full", tail: Uint8Array = NOTHING): Buffer {
  const { code } = commandOf(name);
  const head = form === "short" ? code.slice(0, 1) : code;
  return Buffer.concat([Uint8Array.from(head), Uint8Array.of(error), tail]);
}

/** Returns the DATA of an error answer to any request, also to an unknown command: the request's code, then the error. */
export function encodeUnknown(data: Buffer, error: number): Buffer {
  return Buffer.concat([data.subarray(0, data[0] === EXTENDED ? 2 : 1), Uint8Array.of(error)]);
}

export type DecodedAnswer<A> =
  | { kind: "ok"; values: A; tail: Buffer }
  | { kind: "error"; error: number; form: "full" | "short"; tail: Buffer }
  /** Not an answer to this command: usually the late answer to an earlier command (shtrih-protocol 1.6, note 2). */
  | { kind: "foreign" }
  /** Bytes are missing. `field`: the first field that is absent or incomplete, or `error` for the error byte. */
  | { kind: "short"; field: string };

/** Reads an answer's DATA, for a driver. Never throws. */
export function decodeAnswer<N extends CommandName>(name: N, data: Buffer): DecodedAnswer<AnswerOf<N>> {
  const { code, answer } = commandOf(name);
  if (!answers(code, data)) return { kind: "foreign" };
  const form = isShortError(data) ? "short" : "full";
  const errorAt = form === "short" ? 1 : code.length;
  const error = data[errorAt];
  if (error === undefined) return { kind: "short", field: "error" };
  const body = data.subarray(errorAt + 1);
  // `FF 00` is no error, and lacks the values of an answer.
  if (error === 0 && form === "short") return { kind: "short", field: "error" };
  if (error !== 0) return { kind: "error", error, form, tail: body };
  const read = readFields(answer, body);
  return read.kind === "short" ? read : { kind: "ok", values: read.values as AnswerOf<N>, tail: read.tail };
}

/** Whether the data may be an answer to the command with this code. */
export function answers(code: readonly number[], data: Uint8Array): boolean {
  return (code[0] === EXTENDED && isShortError(data)) || code.every((byte, at) => data[at] === byte);
}

/** Whether the data is `FF ERR`: a two-byte error answer to an extended command, without the code's second byte (shtrih-protocol 4.2). */
function isShortError(data: Uint8Array): boolean {
  return data.length === 2 && data[0] === EXTENDED;
}

/** Returns the command whose code begins the data of a request or an answer. */
export function nameOf(data: Uint8Array): CommandName | undefined {
  return NAMES.get(keyOf(data));
}

function keyOf(data: ArrayLike<number>): number {
  const first = data[0] ?? -1;
  return first === EXTENDED ? first * 256 + (data[1] ?? -1) : first;
}

const NAMES = new Map<number, CommandName>(Object.entries(COMMANDS).map(([name, { code }]) => [keyOf(code), name as CommandName] as const));

const NOTHING = new Uint8Array(0);
