import { z } from "zod";
import { boundedList } from "../../kernel/list-schema.ts";
import { PLATFORM_ID } from "../../model/operation.ts";

/** The caller makes the operation's id (platform-contracts 5.3). In the samples it is a UUID. Allowed: 1 to 64 visible ASCII characters. */
const OPERATION_ID = /^[\x21-\x7e]{1,64}$/;

const platformId = () => z.string().regex(PLATFORM_ID);

/** The body of all three calls. The amount is a `Numeral`, which has the number's source text; `translate.ts` checks it. */
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

/** `parameter`: the path of the first wrong field; empty when the body is no object. */
export function readOperation(value: unknown): ReadBody {
  const read = operationSchema.safeParse(value);
  if (read.success) return { kind: "body", body: read.data };
  return { kind: "wrong", parameter: read.error.issues[0]?.path.join(".") ?? "" };
}
