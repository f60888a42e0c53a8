import { z } from "zod";

/** Answers of the device's control port, as far as they are compared (emulator-surface). */
export const toldDocuments = z.array(
  z.object({
    kind: z.string(),
    documentNumber: z.number(),
    fiscalSign: z.string(),
    time: z.string(),
    shiftNumber: z.number().optional(),
    reference: z.string().optional(),
    receipt: z.object({ number: z.number(), sign: z.number(), totalKopecks: z.number() }).optional(),
  }),
);
export type ToldDocument = z.infer<typeof toldDocuments>[number];

export const toldState = z.object({ drawerKopecks: z.number(), lastDocument: z.number(), shift: z.object({ open: z.boolean() }) });
export type ToldState = z.infer<typeof toldState>;
