import { z } from "zod";

/** The ready line of a fake bank (payments surface 7). */
export const readyBank = z.object({ base: z.string(), control: z.string(), acquirer: z.string() });

/** What the demo reads of a payment at the bank; sums in kopecks. */
export const bankPayments = z.array(
  z.object({ id: z.string(), status: z.string(), amount: z.number(), refunded: z.number(), refundAttempts: z.number() }),
);
export type BankPayment = z.output<typeof bankPayments>[number];
