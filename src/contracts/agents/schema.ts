import { z } from "zod";
import { boundedList } from "../../kernel/list-schema.ts";

const MAX_TEXT = 200;

/** POST /agents/enrol. */
export const enrolSchema = z.object({
  code: z.string().min(1).max(MAX_TEXT).describe("The code that `agents enrol` has printed"),
  publicKey: z.string().min(1).max(MAX_TEXT).describe("Ed25519, SPKI, Base64"),
  version: z.string().max(MAX_TEXT).describe("The version of the agent's program"),
  host: z.string().max(MAX_TEXT).describe("The name of the agent's machine, for people"),
});

export const enrolledSchema = z.object({
  agent: z.string().describe("The agent's id, which it names in its hello"),
  name: z.string(),
  server: z.string().describe("The server's id, which it names in its challenge"),
  protocol: z.tuple([z.int(), z.int()]).describe("The first and the last version of the wire"),
});

export const errorsSchema = z.object({
  errors: boundedList(z.object({ error: z.string(), code: z.int(), parameter: z.string().optional() }), { max: 1 }),
});

type EnrolRead = { kind: "body"; body: z.output<typeof enrolSchema> } | { kind: "wrong"; parameter: string; problem: string };

export function readEnrol(value: unknown): EnrolRead {
  const result = enrolSchema.safeParse(value);
  if (result.success) return { kind: "body", body: result.data };
  const [issue] = result.error.issues;
  return { kind: "wrong", parameter: issue?.path.join(".") ?? "", problem: issue?.message ?? "not valid" };
}
