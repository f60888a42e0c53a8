import { z } from "zod";
import { parseDecimal } from "../../kernel/decimal.ts";
import { boundedList } from "../../kernel/list-schema.ts";
import { kopecksFromRoubles } from "../../kernel/money.ts";
import type { PartsOfSetting } from "../setting.ts";

export const PARTS = {
  shopId: {
    value: z.string("a text").regex(/^[A-Za-z0-9_-]{1,64}$/, "the number of the shop"),
    label: { ru: "Идентификатор магазина (shopId)", en: "Shop id (shopId)" },
    secret: false,
  },
  secretKey: {
    value: secretKey(),
    label: { ru: "Секретный ключ", en: "Secret key" },
    secret: true,
  },
  secretKey2: {
    value: secretKey().optional(),
    label: { ru: "Прежний секретный ключ, пока идёт замена", en: "Former secret key, while it is being replaced" },
    secret: true,
  },
} satisfies PartsOfSetting;

function secretKey() {
  return z.string("a text").regex(/^[\x21-\x7e]{1,256}$/, "at most 256 Latin characters without blanks");
}

/** The number of payments that are requested for one page. The API allows no more. */
export const PAGE_SIZE = 100;

const word = z.string().min(1).max(128);
/** An id that is safe in a URL. */
const id = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);

/** `{"value": "259.20", "currency": "RUB"}`. A negative amount and a fraction of a kopeck are refused. */
const money = z.object({ value: z.string(), currency: z.string().max(8) }).transform(({ value, currency }, context) => {
  const decimal = parseDecimal(value);
  const kopecks = decimal === undefined ? undefined : kopecksFromRoubles(decimal);
  if (kopecks !== undefined && kopecks >= 0) return { kopecks, currency };
  context.addIssue({ code: "custom", message: "no amount in whole kopecks" });
  return z.NEVER;
});

const details = z.object({ party: word.optional(), reason: word.optional() });

/** A malformed optional member counts as missing. But a malformed `refunded_amount` makes the payment unreadable. */
export const paymentSchema = z.object({
  id,
  status: word,
  amount: money,
  refunded_amount: money.optional(),
  created_at: z.string().optional().catch(undefined),
  confirmation: z
    .object({ confirmation_data: z.string().min(1).max(4096).optional(), confirmation_url: z.string().min(1).max(4096).optional() })
    .optional()
    .catch(undefined),
  metadata: z.object({ payment_id: z.string().optional() }).optional().catch(undefined),
  cancellation_details: details.optional().catch(undefined),
});

export type YookassaPayment = z.infer<typeof paymentSchema>;

export const refundSchema = z.object({
  id,
  status: word,
  payment_id: id,
  amount: money,
  cancellation_details: details.optional().catch(undefined),
});

export type YookassaRefund = z.infer<typeof refundSchema>;

export const paymentListSchema = z.object({
  items: boundedList(paymentSchema, { max: PAGE_SIZE }),
  next_cursor: word.nullish().transform((cursor) => cursor ?? undefined),
});

export const errorSchema = z.object({
  code: word.optional().catch(undefined),
  description: z.string().optional().catch(undefined),
});

export const notificationSchema = z.object({
  type: z.literal("notification"),
  event: word,
  object: z.object({
    id,
    status: word,
    payment_id: id.optional(),
    metadata: z.object({ payment_id: word.optional() }).optional().catch(undefined),
  }),
});
