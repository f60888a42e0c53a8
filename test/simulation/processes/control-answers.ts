import { z } from "zod";

/** The parts of the answers of the device's control port that are compared (emulator-surface). */
export const documentsAnswer = z.array(
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
export type DeviceDocument = z.infer<typeof documentsAnswer>[number];

export const stateAnswer = z.object({ drawerKopecks: z.number(), lastDocument: z.number(), shift: z.object({ open: z.boolean() }) });
export type DeviceState = z.infer<typeof stateAnswer>;
