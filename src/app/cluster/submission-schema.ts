import { z } from "zod";
import { operationSchema } from "../../model/stored/operation-schema.ts";
import { doubtSchema, refusalSchema } from "../../model/stored/reason-schema.ts";

const words = z.string().max(200);

/** A submission between two processes. */
export const passedSubmissionSchema = z.object({
  appId: words,
  accountId: words,
  contentHash: words,
  twinHash: words,
  operation: operationSchema,
  /** `contract`: the answer of the fiscal contract. `id`: only the id, for a person's document. */
  answer: z.enum(["contract", "id"]),
});

export const wrongCodeSchema = z.object({ source: z.string().max(200) });

/** The outcome of a submission that is not done. */
export const passedOutcomeSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("refused"), refusal: refusalSchema }),
  z.object({ kind: z.literal("content-differs") }),
  z.object({ kind: z.literal("running") }),
  z.object({ kind: z.literal("in-doubt"), doubt: doubtSchema }),
]);
