import { z } from "zod";
import { boundedList } from "../../kernel/list-schema.ts";
import { MAX_REGISTERS } from "../../registers/agent/wire/frames-schema.ts";

/* The files in the agent's data folder, and the server's answer to an enrolment. */

/** `identity.json`: the agent and its server. `enrol` writes it once. */
const identitySchema = z.object({ agent: z.string(), name: z.string(), server: z.string(), url: z.string() });
export type AgentIdentity = z.output<typeof identitySchema>;

/** `agent.json`, which a person writes. `permit` belongs to a later version and is ignored. */
const settingsSchema = z.strictObject({ registers: z.record(z.string(), z.string()).optional(), permit: z.string().optional() });

const protocol = z.int().min(0);
const admittedSchema = z.object({
  agent: z.string().min(1).max(100),
  name: z.string().min(1).max(100),
  server: z.string().min(1).max(100),
  protocol: z.tuple([protocol, protocol]),
});
export type Admitted = z.output<typeof admittedSchema>;

const registerStatus = z.object({
  name: z.string(),
  scheme: z.string(),
  serialNumber: z.string().optional(),
  driveNumber: z.string().optional(),
  state: z.string(),
});

/** `status.json`, which the running agent writes. */
const statusSchema = z.object({
  connected: z.boolean(),
  since: z.string(),
  registers: boundedList(registerStatus, { max: MAX_REGISTERS }),
  lastProblem: z.string().optional(),
  lastProblemAt: z.string().optional(),
});
export type StoredStatus = z.output<typeof statusSchema>;

export function readIdentity(text: string): AgentIdentity | undefined {
  return read(identitySchema, text);
}

/**
 * Reads `agent.json`. A person writes this file, so a wrong member is refused and named: an agent that ignored a misspelt member would run
 * without the register. Editors may begin the file with a byte order mark.
 */
export function readSettings(text: string): z.output<typeof settingsSchema> | { problem: string } {
  if (text.includes("\0")) return { problem: "is not UTF-8: save it as UTF-8" };
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return { problem: `${EXPECTED}; it is no JSON` };
  }
  const parsed = settingsSchema.safeParse(value);
  if (parsed.success) return hiddenName(value) ?? repeatedName(text) ?? parsed.data;
  const [issue] = parsed.error.issues;
  if (issue?.code !== "unrecognized_keys") return { problem: EXPECTED };
  const unknown = (issue.keys[0] ?? "").slice(0, MAX_SHOWN_NAME).toWellFormed();
  return { problem: `${EXPECTED}; it has an unknown member "${unknown}"` };
}

/** The schema drops a member `__proto__` without an error. */
function hiddenName(value: unknown): { problem: string } | undefined {
  const parts = value instanceof Object && "registers" in value ? [value, value.registers] : [value];
  const isHidden = parts.some((part) => part instanceof Object && Object.hasOwn(part, "__proto__"));
  return isHidden ? { problem: `${EXPECTED}; it has an unknown member "__proto__"` } : undefined;
}

/** JSON.parse keeps the last of several members with one name. The agent would run without the other members. `text`: valid JSON. */
function repeatedName(text: string): { problem: string } | undefined {
  const open: Set<string>[] = [];
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "{") open.push(new Set());
    else if (text[at] === "}") open.pop();
    if (text[at] !== '"') continue;
    const end = endOfString(text, at);
    const name = isNameBefore(text, end) ? (JSON.parse(text.slice(at, end)) as string) : undefined;
    const names = open.at(-1);
    if (name !== undefined && names?.has(name) === true)
      return { problem: `has the member "${name.slice(0, MAX_SHOWN_NAME).toWellFormed()}" twice` };
    if (name !== undefined) names?.add(name);
    at = end - 1;
  }
  return undefined;
}

/** Returns the place after the string that begins at `from`. */
function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}

/** Whether a string that ends before `end` is the name of a member. */
function isNameBefore(text: string, end: number): boolean {
  let at = end;
  while (at < text.length && " \t\r\n".includes(text.charAt(at))) at += 1;
  return text[at] === ":";
}

const EXPECTED = 'expects {"registers": {"main": ADDRESS}}';
const MAX_SHOWN_NAME = 40;

export function readAdmitted(text: string): Admitted | undefined {
  return read(admittedSchema, text);
}

export function readStatus(text: string): StoredStatus | undefined {
  return read(statusSchema, text);
}

function read<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}
