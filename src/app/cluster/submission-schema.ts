import { z } from "zod";
import { boundedList } from "../../kernel/list-schema.ts";
import { operationSchema } from "../../model/stored/operation-schema.ts";
import { doubtSchema, refusalSchema } from "../../model/stored/reason-schema.ts";

/** More registers than a process holds. */
const MAX_REGISTERS = 100_000;

const words = z.string().max(200);

/** A submission as one process passes it to another. Both have read it by the contract before. */
export const passedSubmissionSchema = z.object({
  appId: words,
  accountId: words,
  contentHash: words,
  twinHash: words,
  operation: operationSchema,
  /** `contract`: the answer of the fiscal contract. `id`: a person's document, of which only the id is answered. */
  answer: z.enum(["contract", "id"]),
});

/** What alerts know of the registers of a process (alerts/conditions.ts). */
export const seenRegistersSchema = boundedList(
  z.object({
    register: z.string(),
    reserves: z.object({
      keyDays: z.number().exactOptional(),
      keysExpireSoon: z.boolean().exactOptional(),
      keysExpireNow: z.boolean().exactOptional(),
      queueDays: z.number().exactOptional(),
      unsent: z.number().exactOptional(),
      operatorTimeout: z.boolean().exactOptional(),
    }),
  }),
  { max: MAX_REGISTERS },
);

/** What a process knows of the agents that are connected to it, by name. */
export const agentViewsSchema = z.record(
  z.string(),
  z.object({
    epoch: z.int(),
    sinceMs: z.number().exactOptional(),
    rttMs: z.number().exactOptional(),
    unfinished: z.int().exactOptional(),
    seen: z.record(z.string(), z.enum(["reached", "unreachable"])),
  }),
);

/** Where a wrong code of enrolment came from. */
export const wrongCodeSchema = z.object({ source: z.string().max(200) });

/** What came of a submission that is not done. */
export const passedOutcomeSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("refused"), refusal: refusalSchema }),
  z.object({ kind: z.literal("content-differs") }),
  z.object({ kind: z.literal("running") }),
  z.object({ kind: z.literal("in-doubt"), doubt: doubtSchema }),
]);
