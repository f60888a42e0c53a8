import { z } from "zod";

const place = { register: z.string().max(200), zone: z.string().max(100), budgetMs: z.int().min(0).max(600_000) };

/** A question of a person to a register, as one process passes it to another. */
export const passedQuestionSchema = z.discriminatedUnion("ask", [
  z.object({ ask: z.enum(["identity", "inspect"]), ...place }),
  z.object({ ask: z.literal("lookUp"), number: z.int().min(0), ...place }),
]);

export type PassedQuestion = z.output<typeof passedQuestionSchema>;
