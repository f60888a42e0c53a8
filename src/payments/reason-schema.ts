import { z } from "zod";
import { PAYMENT_REASON_CODES } from "../model/payment.ts";

export const reasonSchema = z.object({
  code: z.enum(PAYMENT_REASON_CODES),
  bankCode: z.string().exactOptional(),
  words: z.string().exactOptional(),
});
