import { z } from "zod";
import { recalledSchema } from "../../registers/agent/wire/register-schema.ts";
import type { Recalled, RecordedAttempt } from "../../registers/register.ts";

const place = {
  register: z.string().max(200),
  zone: z.string().max(100),
  zoneKnown: z.boolean().exactOptional(),
  budgetMs: z.int().min(0).max(600_000),
};

const recordedAttempt = z.object({
  id: z.string().max(200),
  record: z.string().max(200).exactOptional(),
}) satisfies z.ZodType<RecordedAttempt>;

/** A person's question to a register, between two processes. */
export const passedQuestionSchema = z.discriminatedUnion("ask", [
  z.object({ ask: z.enum(["identity", "inspect"]), ...place }),
  z.object({ ask: z.literal("lookUp"), number: z.int().min(0), ...place }),
  z.object({ ask: z.literal("recall"), attempt: recordedAttempt, ...place }),
]);

export type PassedQuestion = z.output<typeof passedQuestionSchema>;

/** The answer of a record of attempts, between two processes. */
export const passedRecalledSchema = z.union([
  recalledSchema,
  z.object({ kind: z.literal("unreachable"), reason: z.string() }),
]) satisfies z.ZodType<Recalled>;
