import { z } from "zod";

/** The limits of the fields (qr-acquirers 4.3). */
const MAX_ORDER_ID = 36;
const MAX_DESCRIPTION = 140;
const MAX_AMOUNT = 9_999_999_999;
const MAX_URL = 2_048;

const amount = z.int("Amount: целое число копеек").min(1, "Amount: больше нуля").max(MAX_AMOUNT, "Amount: не более 10 цифр");
const paymentId = z.union([z.string().regex(/^\d{1,20}$/), z.int().min(0)], "PaymentId: число или текст из цифр").transform(String);

const init = z.object({
  Amount: amount,
  OrderId: z.string("OrderId: текст").min(1, "OrderId: не пустой").max(MAX_ORDER_ID, `OrderId: не более ${MAX_ORDER_ID} символов`),
  Description: z.string("Description: текст").max(MAX_DESCRIPTION, `Description: не более ${MAX_DESCRIPTION} символов`).optional(),
  PayType: z.literal("O", "PayType: по СБП возможна только одностадийная оплата (O)").optional(),
  NotificationURL: z
    .url({ protocol: /^https?$/, error: "NotificationURL: адрес" })
    .max(MAX_URL)
    .optional(),
  RedirectDueDate: z.iso
    .datetime({ offset: true, error: "RedirectDueDate: момент вида 2026-01-31T12:28:00+03:00" })
    .transform((text) => Date.parse(text))
    .optional(),
});

const getQr = z.object({
  PaymentId: paymentId,
  DataType: z.literal("PAYLOAD", "DataType: здесь возможен только PAYLOAD").default("PAYLOAD"),
});
const byPayment = z.object({ PaymentId: paymentId });
const byOrder = z.object({ OrderId: z.string("OrderId: текст").min(1).max(MAX_ORDER_ID) });
const cancel = z.object({ PaymentId: paymentId, Amount: amount.optional() });
const payTest = z
  .object({ PaymentId: paymentId, IsDeadlineExpired: z.boolean().default(false), IsRejected: z.boolean().default(false) })
  .refine(({ IsDeadlineExpired, IsRejected }) => !(IsDeadlineExpired && IsRejected), "IsDeadlineExpired или IsRejected, не оба");

export const FORMS = {
  Init: init,
  GetQr: getQr,
  GetState: byPayment,
  CheckOrder: byOrder,
  Cancel: cancel,
  GetQrState: byPayment,
  SbpPayTest: payTest,
} as const;

export type Fields<Name extends keyof typeof FORMS> = z.output<(typeof FORMS)[Name]>;

type Read<T> = { readonly kind: "read"; readonly value: T } | { readonly kind: "wrong"; readonly details: string };

export function readForm<Name extends keyof typeof FORMS>(name: Name, values: unknown): Read<Fields<Name>> {
  const read = FORMS[name].safeParse(values);
  if (read.success) return { kind: "read", value: read.data as Fields<Name> };
  const [issue] = read.error.issues;
  return { kind: "wrong", details: issue?.message ?? "Поля не разобраны" };
}
