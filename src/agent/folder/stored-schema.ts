import { z } from "zod";
import { boundedList } from "../../kernel/list-schema.ts";
import { MAX_REGISTERS } from "../../registers/agent/wire/frames-schema.ts";

/* The files in the agent's data folder, and the server's answer to an enrolment. */

/** `identity.json`: the agent and its server. `enrol` writes it once. */
const identitySchema = z.object({ agent: z.string(), name: z.string(), server: z.string(), url: z.string() });
export type AgentIdentity = z.output<typeof identitySchema>;

/** `agent.json`, which a person writes. `permit` belongs to a later version and is ignored. */
const settingsSchema = z.object({ registers: z.record(z.string(), z.string()).optional(), permit: z.string().optional() });

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

export function readSettings(text: string): z.output<typeof settingsSchema> | undefined {
  return read(settingsSchema, text);
}

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
