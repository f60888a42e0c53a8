import { z } from "zod";
import { boundedList } from "../../kernel/list-schema.ts";
import { PLATFORM_ID } from "../../model/operation.ts";

/** Callers make these ids (platform-contracts 5.3): UUIDs in the samples, at most 64 characters. */
const OPERATION_ID = /^[\x21-\x7e]{1,64}$/;

const platformId = () => z.string().regex(PLATFORM_ID);

/** The body of all three calls. A number arrives as its source text. */
export const operationSchema = z.object({
  accountId: platformId().describe("The account at the platform"),
  retailStoreId: platformId().describe("The point of sale"),
  operationId: z.string().regex(OPERATION_ID).describe("Made by the caller; unique within the account"),
  amount: z
    .unknown()
    .refine((value) => value !== undefined && value !== null, { params: { missing: true } })
    .describe("Whole kopecks; for cancel what goes back"),
});

export const codeSchema = z.object({ operationId: z.string(), data: z.string() });
export const stateSchema = z.object({ operationId: z.string(), status: z.enum(["IN_PROGRESS", "DONE", "REJECTED"]) });
export const cancelledSchema = z.object({});

export const errorsSchema = z.object({
  errors: boundedList(
    z.object({ error: z.string(), code: z.number().int(), errorMessage: z.string().optional(), parameter: z.string().optional() }),
    { max: 1 },
  ),
});

export type OperationBody = z.output<typeof operationSchema>;

type ReadBody = { kind: "body"; body: OperationBody } | { kind: "wrong"; parameter: string };

/** `parameter`: the first wrong field. */
export function readOperation(value: unknown): ReadBody {
  const read = operationSchema.safeParse(value);
  if (read.success) return { kind: "body", body: read.data };
  return { kind: "wrong", parameter: read.error.issues[0]?.path.join(".") ?? "" };
}
