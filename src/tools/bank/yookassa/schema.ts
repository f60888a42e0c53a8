import { z } from "zod";
import { readAmount } from "./amount.ts";
import type { Refusal } from "./refusal.ts";

/** The limits of an SBP payment at this acquirer (qr-acquirers 3.4). */
const MIN_KOPECKS = 100;
const MAX_KOPECKS = 70_000_000;

const MAX_DESCRIPTION = 128;
const MAX_REFUND_DESCRIPTION = 250;
const MAX_METADATA_KEYS = 16;
const MAX_METADATA_NAME = 32;
const MAX_METADATA_VALUE = 512;
const MAX_PAGE = 100;
const PAGE = 10;

const amount = z
  .object({
    value: z.string("Expected a decimal number as text, like 259.20"),
    currency: z.literal("RUB", "Only RUB is possible for payments by SBP"),
  })
  .transform(({ value }, context) => {
    const kopecks = readAmount(value);
    if (kopecks !== undefined) return kopecks;
    context.addIssue({ code: "custom", path: ["value"], message: "Expected a decimal number with two digits behind the point" });
    return z.NEVER;
  });

const metadata = z
  .record(
    z.string().max(MAX_METADATA_NAME, `A name has at most ${MAX_METADATA_NAME} characters`),
    z.string("Expected text").max(MAX_METADATA_VALUE, `A value has at most ${MAX_METADATA_VALUE} characters`),
  )
  .refine((given) => Object.keys(given).length <= MAX_METADATA_KEYS, `At most ${MAX_METADATA_KEYS} pairs`);

const payment = z.object({
  amount: amount
    .refine((kopecks) => kopecks >= MIN_KOPECKS, "The least amount by SBP is 1.00 RUB")
    .refine((kopecks) => kopecks <= MAX_KOPECKS, "The largest amount by SBP is 700000.00 RUB"),
  capture: z.literal(true, "Payments by SBP have one stage: capture must be true"),
  payment_method_data: z.object({ type: z.literal("sbp", "This shop takes payments by SBP only") }),
  confirmation: z.discriminatedUnion("type", [
    z.object({ type: z.literal("qr") }),
    z.object({ type: z.literal("redirect"), return_url: z.url("Expected an address").max(2_048) }),
  ]),
  description: z.string().max(MAX_DESCRIPTION, `At most ${MAX_DESCRIPTION} characters`).optional(),
  metadata: metadata.optional(),
});
export type PaymentBody = z.output<typeof payment>;

const refund = z.object({
  payment_id: z.string().min(1).max(64),
  amount: amount.refine((kopecks) => kopecks >= MIN_KOPECKS, "The least refund is 1.00 RUB"),
  description: z.string().max(MAX_REFUND_DESCRIPTION, `At most ${MAX_REFUND_DESCRIPTION} characters`).optional(),
});
export type RefundBody = z.output<typeof refund>;

const moment = z.iso.datetime({ offset: true, error: "Expected a moment in ISO 8601" }).transform((text) => Date.parse(text));
const list = z.object({
  "created_at.gte": moment.optional(),
  "created_at.gt": moment.optional(),
  "created_at.lte": moment.optional(),
  "created_at.lt": moment.optional(),
  status: z.enum(["pending", "waiting_for_capture", "succeeded", "canceled"]).optional(),
  limit: z
    .string()
    .regex(/^\d{1,3}$/, "Expected a whole number")
    .transform(Number)
    .refine((count) => count >= 1 && count <= MAX_PAGE, `Expected 1 to ${MAX_PAGE}`)
    .default(PAGE),
  cursor: z.string().max(64).optional(),
});
export type ListQuery = z.output<typeof list>;

type Read<T> = { readonly kind: "read"; readonly value: T } | { readonly kind: "refused"; readonly refusal: Refusal };

export function readPaymentBody(bytes: Buffer): Read<PaymentBody> {
  return readBody(payment, bytes);
}

export function readRefundBody(bytes: Buffer): Read<RefundBody> {
  return readBody(refund, bytes);
}

export function readListQuery(query: URLSearchParams): Read<ListQuery> {
  return readWith(list, Object.fromEntries(query));
}

function readBody<T extends z.ZodType>(schema: T, bytes: Buffer): Read<z.output<T>> {
  try {
    return readWith(schema, JSON.parse(bytes.toString("utf8")));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { kind: "refused", refusal: { code: "invalid_request", description: "The body is no JSON" } };
  }
}

function readWith<T extends z.ZodType>(schema: T, value: unknown): Read<z.output<T>> {
  const read = schema.safeParse(value);
  if (read.success) return { kind: "read", value: read.data };
  const [issue] = read.error.issues;
  const path = issue?.path.join(".") ?? "";
  const parameter = path === "" ? {} : { parameter: path };
  return { kind: "refused", refusal: { code: "invalid_request", description: issue?.message ?? "Not understood", ...parameter } };
}
