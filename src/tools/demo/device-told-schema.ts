import { z } from "zod";
import { boundedList } from "../../kernel/list-schema.ts";

/** Of one device in a demo: a drive has some hundred thousand at the most. */
const MAX_DOCUMENTS = 250_000;
const MAX_FAULTS = 1_000;

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
  faults: boundedList(z.string(), { max: MAX_FAULTS }),
});
export type DeviceTold = z.infer<typeof deviceState>;

export const driveDocuments = boundedList(z.object({ kind: z.string(), documentNumber: z.number(), time: z.string() }), {
  max: MAX_DOCUMENTS,
});
export type DocumentTold = z.infer<typeof driveDocuments>[number];
