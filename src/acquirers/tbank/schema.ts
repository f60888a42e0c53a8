import { z } from "zod";
import { parseDecimal } from "../../kernel/decimal.ts";
import { boundedList } from "../../kernel/list-schema.ts";
import { kopecksFromKopecks } from "../../kernel/money.ts";
import type { PartsOfSetting } from "../setting.ts";

export const PARTS = {
  terminalKey: {
    value: z.string("a text").regex(/^[A-Za-z0-9_-]{1,64}$/, "the key of the terminal"),
    label: { ru: "Ключ терминала (TerminalKey)", en: "Terminal key (TerminalKey)" },
    secret: false,
  },
  password: {
    value: password(),
    label: { ru: "Пароль терминала", en: "Password of the terminal" },
    secret: true,
  },
  password2: {
    value: password().optional(),
    label: { ru: "Прежний пароль, пока идёт замена", en: "Former password, while it is being replaced" },
    secret: true,
  },
} satisfies PartsOfSetting;

function password() {
  return z.string("a text").regex(/^[\x21-\x7e]{1,256}$/, "at most 256 Latin characters without blanks");
}

/** The maximum number of payments of one order. Each Init makes a payment. */
const MAX_PAYMENTS = 100;

const word = z.string().min(1).max(128);
const words = z.string().optional().catch(undefined);
/** The bank writes an id as a text or a number. `readBankJson` returns both as text. */
const paymentId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);

const amount = z.string().transform((text, context) => {
  const decimal = parseDecimal(text);
  const kopecks = decimal === undefined ? undefined : kopecksFromKopecks(decimal);
  if (kopecks !== undefined && kopecks >= 0) return kopecks;
  context.addIssue({ code: "custom", message: "no amount in whole kopecks" });
  return z.NEVER;
});

/** The bank writes `Success` as a boolean, but inside lists as a text. */
const success = z.union([z.boolean(), z.enum(["true", "false"]).transform((text) => text === "true")]);

/** The members that show whether a call succeeded. */
export const answerSchema = z.object({ Success: success, ErrorCode: word, Message: words, Details: words });

export const initSchema = z.object({ PaymentId: paymentId, OrderId: word, Amount: amount, Status: word.optional() });

export const qrSchema = z.object({ Data: z.string().min(1).max(4096), PaymentId: paymentId.optional() });

export const stateSchema = z.object({ PaymentId: paymentId, OrderId: word, Amount: amount, Status: word, ErrorCode: word, Message: words });

export const orderSchema = z.object({
  OrderId: word,
  Payments: boundedList(z.object({ PaymentId: paymentId, Amount: amount, Status: word, ErrorCode: word.optional(), Message: words }), {
    max: MAX_PAYMENTS,
  }).optional(),
});

export const cancelSchema = z.object({ PaymentId: paymentId, Status: word });

export const qrStateSchema = z.object({
  Status: word,
  QrCancelCode: z.string().max(128).nullish(),
  QrCancelMessage: words,
  Amount: amount.optional().catch(undefined),
});

/** The used members of a notification. Its other scalar members are used only to check the token. */
export const notificationSchema = z.object({
  TerminalKey: word,
  Token: word,
  NotificationType: word.optional(),
  PaymentId: paymentId.optional(),
  OrderId: word.optional(),
  Status: word.optional(),
});
