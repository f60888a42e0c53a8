import { z } from "zod";
import { boundedList, boundedRecord } from "../../kernel/list-schema.ts";
import type { Doubt } from "../doubt.ts";
import { UNREAD_PROBLEMS } from "../marks/marks.ts";
import type { Reason } from "../reason.ts";
import { REFUSAL_CODES, type Refusal } from "../refusal.ts";
import { count, kopecks, MAX_LINES, words } from "./parts-schema.ts";

/** The largest number of reasons of one change. A change has few: an outcome, a person's statement about it, facts about the document. */
const MAX_REASONS = 20;

export const doubtSchema = z.discriminatedUnion("code", [
  z.object({ code: z.literal("drive-changed"), before: words, now: words }),
  z.object({ code: z.literal("drive-went-back"), before: count, now: count }),
  z.object({ code: z.enum(["documents-unread", "drawer-unclear", "answer-late", "driver-failed", "not-committed"]) }),
  z.object({ code: z.literal("drive-end-unproved"), last: count }),
  z.object({ code: z.literal("documents-ambiguous"), count }),
  z.object({
    code: z.enum(["document-of-others", "kind-differs", "sign-differs", "sum-differs", "registered-with-other-sum"]),
    number: count,
  }),
  z.object({ code: z.literal("time-differs"), number: count, time: words }),
  z.object({ code: z.literal("drawer-differs"), movedKopecks: kopecks, expectedKopecks: kopecks }),
  z.object({ code: z.literal("no-answer"), reason: words }),
  z.object({ code: z.literal("refusal-doubtful"), words, seen: z.enum(["document-made", "silent"]).exactOptional() }),
  z.object({ code: z.literal("number-unexpected"), number: count, last: count }),
  z.object({ code: z.literal("change-differs"), number: count, changeKopecks: kopecks, expectedKopecks: kopecks }),
  z.object({ code: z.literal("facts-missing"), number: count, because: z.enum(["other-drive", "unread"]) }),
  z.object({ code: z.literal("report-missing"), because: z.enum(["number-unknown", "not-in-drive"]) }),
  z.object({ code: z.literal("report-unread"), number: count, reason: words }),
  z.object({ code: z.literal("words-only"), words }),
]) satisfies z.ZodType<Doubt>;

const refusalCode = z.enum(REFUSAL_CODES);
/** The largest number of values for the cashier's words. This server's refusals have at most four. */
const MAX_DETAILS = 50;
/** The number of members is bounded here, because an agent can send more members. */
const details = boundedRecord(words, { max: MAX_DETAILS });
const refusalHead = {
  code: refusalCode,
  parameter: words.exactOptional(),
  device: z.object({ code: words, words }).exactOptional(),
};

export const refusalSchema = z.object({
  ...refusalHead,
  details: details.exactOptional(),
  doubt: doubtSchema.exactOptional(),
}) satisfies z.ZodType<Refusal>;

const exceeded = { position: count, name: words, sold: z.int(), returned: z.int() };
const excess = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("nothing-sold") }),
  z.object({ kind: z.literal("goods"), position: count, name: words }),
  z.object({ kind: z.enum(["quantity", "sum"]), ...exceeded }),
  z.object({ kind: z.literal("total"), sold: kopecks, returned: kopecks }),
]);

const takenBack = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("refused"), refusal: refusalCode.exactOptional() }),
  z.object({
    kind: z.literal("done"),
    shiftNumber: count,
    time: words,
    documentNumber: count.exactOptional(),
    fiscalSign: words.exactOptional(),
  }),
]);

const reason = z.discriminatedUnion("code", [
  z.object({ code: z.literal("doubt"), doubt: doubtSchema }),
  z.object({ code: z.literal("refused"), refusal: z.object(refusalHead) }),
  z.object({ code: z.enum(["nothing-made", "attempt-found", "restored-from-drive", "confirmed", "unconfirmed"]) }),
  z.object({ code: z.enum(["shift-adopted", "report-found"]), number: count }),
  z.object({
    code: z.literal("marks-unread"),
    marks: boundedList(z.object({ line: count, problem: z.enum(UNREAD_PROBLEMS) }), { max: MAX_LINES }),
  }),
  z.object({
    code: z.literal("returned-more"),
    sale: count,
    excesses: boundedList(excess, { max: MAX_LINES }),
    unsure: boundedList(count, { max: MAX_LINES }),
  }),
  z.object({ code: z.enum(["said", "words-only"]), words }),
  z.object({ code: z.literal("other-sum"), totalKopecks: kopecks }),
  z.object({ code: z.literal("taken-back"), was: takenBack }),
]) satisfies z.ZodType<Reason>;

export const reasonsSchema = boundedList(reason, { max: MAX_REASONS });
