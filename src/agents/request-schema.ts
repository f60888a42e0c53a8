import { z } from "zod";
import { boundedList } from "../kernel/list-schema.ts";

export const MAX_ASKED_LINES = 1_000;

const name = z.string().max(40);
const place = z.object({ name, register: name });

/** A command's request to the running server. It travels through the database. */
export const requestSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("list") }),
  z.object({ kind: z.literal("revoke"), name }),
  z.object({ kind: z.literal("accept"), place }),
  z.object({ kind: z.literal("accept-all-forked") }),
  /** `after`: only lines with a higher number. The number is `newest` of an earlier answer. */
  z.object({ kind: z.literal("log"), name, lines: z.int().min(1).max(MAX_ASKED_LINES), after: z.int().min(0).exactOptional() }),
  z.object({ kind: z.literal("examine"), place, zone: z.string().max(100), zoneKnown: z.boolean() }),
]);

export const answerSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("done"), result: z.unknown() }),
  z.object({ kind: z.literal("failed"), reason: z.string() }),
]);

const MAX_LINE = 20_000;

export const askedLogSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("lines"), lines: boundedList(z.string().max(MAX_LINE), { max: MAX_ASKED_LINES }), newest: z.int() }),
  z.object({ kind: z.literal("unknown") }),
]);

export type AgentRequest = z.output<typeof requestSchema>;
export type RequestAnswer = z.output<typeof answerSchema>;
export type AskedLog = z.output<typeof askedLogSchema>;
