import { z } from "zod";
import type { PartsOfSetting } from "../setting.ts";

const DAY_MS = 86_400_000;
/** The default of `payAfterMs`: the time from the making of a code until the buyer pays, or until the payment is declined (`rules.ts`). */
const PAY_AFTER_MS = 1_000;

export const PARTS = {
  payAfterMs: {
    value: milliseconds().default(PAY_AFTER_MS),
    label: { ru: "Через сколько миллисекунд покупатель платит", en: "Milliseconds until the buyer pays" },
    secret: false,
  },
  expireAfterMs: {
    value: milliseconds().optional(),
    label: { ru: "Срок жизни кода в миллисекундах", en: "Life of the code in milliseconds" },
    secret: false,
  },
} satisfies PartsOfSetting;

function milliseconds() {
  return z
    .string()
    .regex(/^\d{1,8}$/, `a whole number from 0 to ${DAY_MS}`)
    .transform(Number)
    .refine((value) => value <= DAY_MS, `a whole number from 0 to ${DAY_MS}`);
}

const whole = z.number().int();

export const eventSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("created"),
    bankId: z.string(),
    paymentId: z.string(),
    qrText: z.string(),
    amountKopecks: whole,
    atMs: whole,
    expiresAtMs: whole,
    /** When the buyer pays, and when the payment is declined. Null: at no planned time. */
    paysAtMs: whole.nullable(),
    declinedAtMs: whole.nullable(),
  }),
  /** `paysFirst`: the buyer paid before the cancel took effect. */
  z.object({ kind: z.literal("cancelled"), bankId: z.string(), atMs: whole, paysFirst: z.boolean() }),
  z.object({ kind: z.literal("refunded"), bankId: z.string(), atMs: whole, number: whole, amountKopecks: whole }),
]);

export type SimulatedEvent = z.infer<typeof eventSchema>;
