import { z } from "zod";

/** Answers of a device's control port, as far as the demo reads them (emulator-surface). */
export const controlAnswer = z.discriminatedUnion("ok", [
  z.looseObject({ ok: z.literal(true) }),
  z.object({ ok: z.literal(false), why: z.string() }),
]);

export const deviceState = z.object({
  power: z.boolean(),
  paper: z.boolean(),
  /** What its clock shows. */
  time: z.string(),
  lastDocument: z.number(),
  /** Faults that have not struck yet, or strike again. */
  faults: z.array(z.string()),
});
export type DeviceTold = z.infer<typeof deviceState>;

export const driveDocuments = z.array(z.object({ kind: z.string(), documentNumber: z.number(), time: z.string() }));
export type DocumentTold = z.infer<typeof driveDocuments>[number];
