import type { AgentView } from "../../agents/held-agent.ts";
import type { ConditionSources } from "../../alerts/conditions.ts";
import { nextTurn } from "../../kernel/clock.ts";
import { Failure } from "../../kernel/failure.ts";
import { agentViewSchema, seenRegisterSchema } from "./told-schema.ts";

/*
 * Lists between processes. A list may have a hundred thousand members, so it is written and read in steps. The body is one JSON text, with
 * a few members a line. The previous version of the server reads the body in one step, and writes all of it in one line. This version
 * refuses a line of more than `MAX_LINE_BYTES`.
 */

/** The largest body: 5,000 agents, each with 20 registers of the longest name, or 70,000 agents with one register each. */
export const MAX_TOLD_BYTES = 8 * 1024 * 1024;
/** The longest line, which bounds the time of a step. The standard parser needs 20 ms for the 4,000 members that fit into a line. */
const MAX_LINE_BYTES = 32 * 1024;
/** The number of members in a line. The longest member, a view with 20 registers, has 1,300 bytes. */
const MEMBERS_A_LINE = 16;
/** The maximum number of lines. A real body has far fewer. */
const MAX_LINES = 100_000;
const MEMBERS_A_STEP = 200;
const LINES_A_STEP = 20;
/** A line counts as this many bytes more than it has, because even an empty line takes time. */
const BYTES_OF_A_LINE = 32;

type SeenRegister = ReturnType<ConditionSources["registers"]>[number];

/** Writes the agents of a process, by name. Leaves out agents for which there is no room. */
export function writeViews(views: Readonly<Record<string, AgentView>>): Promise<Buffer> {
  return written("{}", Object.entries(views), ([name, view]) => `${JSON.stringify(name)}:${JSON.stringify(view)}`);
}

/** Reads the agents of another process. Throws a `Failure` at the first fault. */
export async function readViews(body: Buffer): Promise<Map<string, AgentView>> {
  const views = new Map<string, AgentView>();
  await eachMember(body, "{}", (name, value) => {
    const read = agentViewSchema.safeParse(value);
    if (read.success) views.set(name, read.data);
    return read.success;
  });
  return views;
}

/** Writes the registers of a process. Leaves out registers for which there is no room. */
export function writeSeenRegisters(registers: readonly SeenRegister[]): Promise<Buffer> {
  return written("[]", registers, (register) => JSON.stringify(register));
}

/** Reads the registers of another process. Throws a `Failure` at the first fault. */
export async function readSeenRegisters(body: Buffer): Promise<SeenRegister[]> {
  const registers: SeenRegister[] = [];
  await eachMember(body, "[]", (_, value) => {
    const read = seenRegisterSchema.safeParse(value);
    if (read.success) registers.push(read.data);
    return read.success;
  });
  return registers;
}

type Brackets = "{}" | "[]";

async function written<T>(brackets: Brackets, members: readonly T[], textOf: (member: T) => string): Promise<Buffer> {
  const lines: Buffer[] = [];
  let bytes = brackets.length;
  for (let at = 0; at < members.length; at += MEMBERS_A_LINE) {
    if (at % (MEMBERS_A_LINE * LINES_A_STEP) === 0) await nextTurn();
    const line = Buffer.from(
      `${at === 0 ? "" : ",\n"}${members
        .slice(at, at + MEMBERS_A_LINE)
        .map(textOf)
        .join(",")}`,
    );
    bytes += line.length;
    if (bytes > MAX_TOLD_BYTES) break;
    lines.push(line);
  }
  return Buffer.concat([Buffer.from(brackets.slice(0, 1)), ...lines, Buffer.from(brackets.slice(1))]);
}

/**
 * Calls `take` with each member. With `{}` the name is the member's name in the object, with `[]` its place in the line, which has no
 * meaning. Throws a `Failure` when `take` returns false, or when the body is too large or has another form.
 */
async function eachMember(body: Buffer, brackets: Brackets, take: (name: string, value: unknown) => boolean): Promise<void> {
  if (body.length > MAX_TOLD_BYTES) throw refused(`${body.length} bytes`);
  let members = 0;
  let lines = 0;
  let bytes = 0;
  for (const line of linesIn(body, brackets)) {
    lines += 1;
    if (lines > MAX_LINES) throw refused(`more than ${MAX_LINES} lines`);
    bytes += line.length + BYTES_OF_A_LINE;
    if (bytes > MAX_LINE_BYTES) {
      bytes = 0;
      await nextTurn();
    }
    for (const [name, value] of membersIn(line, brackets)) {
      members += 1;
      if (members % MEMBERS_A_STEP === 0) await nextTurn();
      if (!take(name, value)) throw refused(`a wrong member "${name.slice(0, SHOWN_LENGTH)}"`);
    }
  }
}

/** Yields the text of each line, without the outer brackets and without the comma at its end. */
function* linesIn(body: Buffer, brackets: Brackets): Generator<string> {
  if (body.length < brackets.length || body[0] !== brackets.charCodeAt(0) || body.at(-1) !== brackets.charCodeAt(1)) {
    throw refused(`no ${brackets}`);
  }
  const end = body.length - 1;
  for (let at = 1; at < end; ) {
    const found = body.indexOf("\n", at);
    const lineEnd = found === -1 || found > end ? end : found;
    if (lineEnd - at > MAX_LINE_BYTES) throw refused(`a line of ${lineEnd - at} bytes`);
    const hasComma = lineEnd !== end && body[lineEnd - 1] === COMMA;
    yield body.toString("utf8", at, hasComma ? lineEnd - 1 : lineEnd);
    at = lineEnd + 1;
  }
}

function membersIn(line: string, [open, close]: string): [string, unknown][] {
  try {
    return Object.entries(JSON.parse(`${open}${line}${close}`) as object);
  } catch (error) {
    if (error instanceof SyntaxError) throw refused("no JSON");
    throw error;
  }
}

function refused(what: string): Failure {
  return new Failure("cluster-answer-unread", "dependency", `another process tells ${what}`, { retrySafe: true });
}

const COMMA = 0x2c;
const SHOWN_LENGTH = 40;
