import { z } from "zod";
import { jsonExcess } from "../../../kernel/json/json-bounds.ts";
import { parseStorable } from "../../../kernel/json/storable.ts";
import { boundedList } from "../../../kernel/list-schema.ts";
import { count } from "../../../model/stored/parts-schema.ts";
import { FAILED_CODES, MAX_EPOCH } from "./protocol.ts";
import { agentDocumentSchema, agentInspectSchema } from "./register-schema.ts";

/*
 * The JSON frames between a server and an agent. One member name shows the kind. The server sends `challenge`, `welcome`, `call` or `go`.
 * The agent sends `hello`, `ready`, `accepted`, `answer`, `seen` or `log`.
 */

export const MAX_REGISTERS = 20;
/** The limit of attempts in one call `settled`, and in its answer. */
export const MAX_ATTEMPTS = 500;
const MAX_FEATURES = 50;
/** The limit of lines in a `log` frame and in an answer to `log`. */
export const MAX_LOG_LINES = 1_000;
const MAX_LOG_LINE = 16 * 1024;
/**
 * The limits of an agent's frame. The largest frame is an examination: it has a few thousand structural characters (`marks`) and at most
 * ten levels (`depth`).
 */
const AGENT_FRAME = { depth: 64, marks: 50_000 };

const name = z.string().regex(/^[a-z0-9-]{1,40}$/);
const id = z.string().min(1).max(100);
const attempt = id;
const callNumber = z.int().min(1);
const protocol = z.int().min(0).max(1_000);
const range = z.tuple([protocol, protocol]);
const epoch = z.int().min(0).max(MAX_EPOCH);

const hello = z.object({
  agent: id,
  server: id,
  epoch,
  /** The id of the agent's data folder. */
  folder: id,
  /** A random id, made at each start of the agent. */
  boot: id,
  version: z.string().max(100),
  protocol: range,
  features: boundedList(z.string().max(100), { max: MAX_FEATURES }),
  registers: boundedList(z.object({ name, scheme: z.string().max(100) }), { max: MAX_REGISTERS }),
  /** Ed25519, Base64. */
  signature: z.string().max(200),
});

/** Milliseconds within the range of a Node timer. A longer timer would fire immediately. */
const duration = z
  .int()
  .min(0)
  .max(2 ** 31 - 1);

const welcome = z.object({
  epoch,
  protocol,
  pingMs: duration.min(1),
  silenceMs: duration.min(1),
  /** The server's wall clock, ISO 8601. Informational only. */
  at: z.string().max(40),
});

const ofRegister = { call: callNumber, register: name, fence: z.int().min(0), budgetMs: duration };

/** A call. `readDocument` reads the document of `perform` later, so a document that this version does not know is no malformed frame. */
const call = z.discriminatedUnion("do", [
  z.object({ do: z.enum(["identity", "inspect", "abandon"]), ...ofRegister }),
  z.object({
    do: z.literal("perform"),
    ...ofRegister,
    attempt,
    hash: z.string().min(1).max(200),
    needs: boundedList(z.string().max(100), { max: MAX_FEATURES }),
    document: z.unknown(),
  }),
  z.object({ do: z.literal("recall"), ...ofRegister, attempt }),
  z.object({ do: z.literal("lookUp"), ...ofRegister, number: count }),
  z.object({ do: z.literal("examine"), ...ofRegister, zone: z.string().max(100), zoneKnown: z.boolean() }),
  z.object({ do: z.literal("settled"), ...ofRegister, attempts: boundedList(attempt, { max: MAX_ATTEMPTS }) }),
  z.object({ do: z.literal("log"), call: callNumber, budgetMs: duration, lines: z.int().min(1).max(MAX_LOG_LINES) }),
]);

const KNOWN_CALLS: ReadonlySet<string> = new Set(
  call.options.flatMap(({ shape }) => ("options" in shape.do ? shape.do.options : [...shape.do.values])),
);

/** A call that this version does not know. The agent answers it with `unknown-call`. */
const otherCall = z.object({
  call: callNumber,
  do: z
    .string()
    .max(100)
    .refine((name) => !KNOWN_CALLS.has(name), "is known, so its frame is broken"),
});

const serverFrame = z.union([
  z.object({ challenge: z.string().min(1).max(200), server: id, protocol: range }),
  z.object({ welcome }),
  z.object({ go: callNumber }),
  call,
  otherCall,
]);

const agentFrame = z.union([
  z.object({ hello }),
  z.object({ ready: z.object({ epoch }) }),
  z.object({ accepted: callNumber }),
  z.object({
    answer: callNumber,
    failed: z.object({ code: z.union([z.enum(FAILED_CODES), z.string().max(100)]), reason: z.string().max(4_096) }),
  }),
  z.object({ answer: callNumber, result: z.unknown() }),
  z.object({ seen: z.object({ register: name, state: agentInspectSchema }) }),
  z.object({
    log: boundedList(z.string().max(MAX_LOG_LINE), { max: MAX_LOG_LINES }),
    /** The number of lines that were dropped before the lines of this frame, because the queue was full. */
    dropped: count.exactOptional(),
  }),
]);

/** The agent's answer to `settled`: the oldest of its unsettled attempts at the register, the oldest first. */
export const settledSchema = z.object({ unsettled: boundedList(attempt, { max: MAX_ATTEMPTS }) });
/** The agent's answer to `log`: its newest lines, the oldest first. */
export const logSchema = z.object({ lines: boundedList(z.string().max(MAX_LOG_LINE), { max: MAX_LOG_LINES }) });

export type Hello = z.output<typeof hello>;
export type Welcome = z.output<typeof welcome>;
export type ServerFrame = z.output<typeof serverFrame>;
export type AgentFrame = z.output<typeof agentFrame>;
export type Call = z.output<typeof call>;

/** Parses a server's frame. Undefined: the frame is malformed. */
export function readServerFrame(frame: string): ServerFrame | undefined {
  return read(serverFrame, frame);
}

/** Parses an agent's frame. Undefined: the frame is malformed or too costly to parse. */
export function readAgentFrame(frame: string): AgentFrame | undefined {
  return jsonExcess(frame, AGENT_FRAME) === undefined ? read(agentFrame, frame) : undefined;
}

/** Parses the document of `perform`. Undefined: it is invalid, or this version does not know a member, a kind or a value. */
export function readDocument(document: unknown): z.output<typeof agentDocumentSchema> | undefined {
  const parsed = agentDocumentSchema.safeParse(document);
  // Zod drops unknown members, so they would be missing on paper. The comparison finds such members.
  return parsed.success && isSame(parsed.data, document) ? parsed.data : undefined;
}

function read<Schema extends z.ZodType>(schema: Schema, frame: string): z.output<Schema> | undefined {
  let value: unknown;
  try {
    value = parseStorable(frame);
  } catch {
    return undefined;
  }
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

/** Whether two values have the same JSON. The order of members does not matter. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) || Array.isArray(other)) {
    return Array.isArray(one) && Array.isArray(other) && one.length === other.length && one.every((item, at) => isSame(item, other[at]));
  }
  const [members, others] = [definedIn(one), definedIn(other)];
  return members.size === others.size && [...members].every(([name, value]) => others.has(name) && isSame(value, others.get(name)));
}

/** JSON omits undefined members. */
function definedIn(object: object): Map<string, unknown> {
  return new Map(Object.entries(object).filter(([, value]) => value !== undefined));
}
