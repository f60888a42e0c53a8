import { z } from "zod";
import { documentSchema } from "../../../model/stored/document-schema.ts";
import { factsSchema, identitySchema } from "../../../model/stored/facts-schema.ts";
import { count, kopecks, text, wallTime, words } from "../../../model/stored/parts-schema.ts";
import { doubtSchema, refusalSchema } from "../../../model/stored/reason-schema.ts";
import { type Examined, examination } from "../../examination-schema.ts";
import type { LookUp, Outcome, Reached, Recalled, RegisterState } from "../../register.ts";

/* The results of the register interface in the format of the wire. */

const unreachable = z.object({ kind: z.literal("unreachable"), reason: words });

const shift = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("closed"), lastNumber: count }),
  z.object({
    kind: z.literal("open"),
    number: count,
    // Empty: the device does not give the time.
    openedAt: z.union([z.literal(""), wallTime]),
    openReportNumber: count.exactOptional(),
    expired: z.boolean(),
  }),
]);

const state = z.object({
  driveNumber: text,
  lastDocumentNumber: count,
  lastDocumentTime: wallTime.exactOptional(),
  shift,
  drawerKopecks: kopecks,
  time: wallTime,
  paper: z.enum(["present", "out", "unknown"]),
  paperEndedWithin: z.literal(true).exactOptional(),
  coverOpen: z.literal(true).exactOptional(),
  documentOpen: z.boolean(),
  queue: z.object({ unsent: count, since: wallTime.exactOptional() }),
  drive: z.object({
    phase: z.enum(["ready", "fiscal", "closed"]),
    keysUntil: wallTime.exactOptional(),
    documentsLeft: count.exactOptional(),
    warnings: z.object({
      keysExpireSoon: z.boolean(),
      keysExpireNow: z.boolean(),
      memoryFull: z.boolean(),
      operatorTimeout: z.boolean(),
      operatorMessage: count,
    }),
  }),
  record: text.exactOptional(),
}) satisfies z.ZodType<RegisterState>;

const fiscalFacts = factsSchema.options[0];

export const agentIdentitySchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("reached"), value: identitySchema }),
  unreachable,
]);

export const agentInspectSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("reached"), value: state }),
  unreachable,
]) satisfies z.ZodType<Reached<RegisterState>>;

/** A document for a register. An agent refuses a document with an unknown member. */
export const agentDocumentSchema = documentSchema;

export const agentOutcomeSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("done"), facts: factsSchema }),
  z.object({ kind: z.literal("refused"), refusal: refusalSchema }),
  z.object({ kind: z.literal("in-doubt"), doubt: doubtSchema }),
]) satisfies z.ZodType<Outcome>;

export const recalledSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("outcome"), outcome: agentOutcomeSchema }),
  z.object({ kind: z.enum(["running", "unknown", "never"]) }),
]) satisfies z.ZodType<Recalled>;

export const lookUpSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("found"), facts: fiscalFacts, reference: text.exactOptional() }),
  z.object({ kind: z.literal("foreign"), what: words }),
  z.object({ kind: z.literal("absent") }),
  unreachable,
]) satisfies z.ZodType<LookUp>;

export const abandonedSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("reached"), value: z.enum(["nothing-open", "cancelled"]) }),
  unreachable,
]);

export const examinedSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("examined"), examination }),
  z.object({ kind: z.literal("held"), holder: words }),
  unreachable,
]) satisfies z.ZodType<Examined>;
