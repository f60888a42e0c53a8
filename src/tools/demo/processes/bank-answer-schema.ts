import { z } from "zod";
import { boundedList } from "../../../kernel/list-schema.ts";

/** More payments than a demo day makes. */
const MAX_PAYMENTS = 1_000;

/** The ready line of a fake bank (payments surface 7). */
export const readyBank = z.object({ base: z.string(), control: z.string(), acquirer: z.string() });

/** The members of a bank's payment that the demo reads. Sums are in kopecks. */
export const bankPayments = boundedList(
  z.object({ id: z.string(), status: z.string(), amount: z.number(), refunded: z.number(), refundAttempts: z.number() }),
  { max: MAX_PAYMENTS },
);
export type BankPayment = z.output<typeof bankPayments>[number];
