import { z } from "zod";
import { boundedList } from "../../../kernel/list-schema.ts";

/** Documents read from one device: about as many as a drive can store. */
const MAX_DOCUMENTS = 250_000;
const MAX_FAULTS = 1_000;

/** The answers of a device's control port, with the members that the demo uses (emulator-surface). */
export const controlAnswer = z.discriminatedUnion("ok", [
  z.looseObject({ ok: z.literal(true) }),
  z.object({ ok: z.literal(false), why: z.string() }),
]);

export const deviceState = z.object({
  power: z.boolean(),
  paper: z.boolean(),
  time: z.string(),
  lastDocument: z.number(),
  /** The faults that are set: faults that have not happened yet, and repeating faults. */
  faults: boundedList(z.string(), { max: MAX_FAULTS }),
});
export type DeviceState = z.infer<typeof deviceState>;

export const driveDocuments = boundedList(z.object({ kind: z.string(), documentNumber: z.number(), time: z.string() }), {
  max: MAX_DOCUMENTS,
});
export type DriveDocument = z.infer<typeof driveDocuments>[number];
