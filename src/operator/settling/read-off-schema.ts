import { z } from "zod";
import { parseDecimal } from "../../kernel/decimal.ts";
import { parseWallTime, type WallTime } from "../../kernel/moment.ts";
import { kopecksFromRoubles } from "../../kernel/money.ts";
import { present } from "../../kernel/present.ts";
import type { RegisterIdentity } from "../../model/facts.ts";
import { identitySchema } from "../../model/stored/facts-schema.ts";

/** The figures that a person read off the paper of a document in doubt. */
export interface ReadOff {
  /** Tag 1040. Absent on slips for cash. */
  documentNumber?: number;
  /** Tag 1077. Absent on slips for cash. */
  fiscalSign?: string;
  time: WallTime;
  shiftNumber: number;
  /** Tag 1042 of a receipt. */
  receiptNumber?: number;
  /** The sum on the paper, only for comparison. The facts contain the sent sum. */
  sumKopecks?: number;
}

type Read<T> = { kind: "read"; value: T } | { kind: "wrong"; problem: string };

/** Parses a person's typed texts. `problem` names the first wrong text: `sign: expected 1 to 10 digits`. */
export function parseReadOff(texts: Record<string, string | undefined>): Read<ReadOff> {
  const parsed = READ_OFF.safeParse(texts);
  if (!parsed.success) return { kind: "wrong", problem: firstProblem(parsed.error) };
  const { number, sign, time, shift, receipt, sum } = parsed.data;
  return {
    kind: "read",
    value: {
      ...present({ documentNumber: number, fiscalSign: sign }),
      time,
      shiftNumber: shift,
      ...present({ receiptNumber: receipt, sumKopecks: sum }),
    },
  };
}

/** Returns the first typing error. Missing texts are no error here. */
export function readOffProblem(texts: Record<string, string | undefined>): string | undefined {
  const parsed = READ_OFF.partial().safeParse(texts);
  return parsed.success ? undefined : firstProblem(parsed.error);
}

/** Parses a register's identity from a person's JSON. */
export function parseIdentity(value: unknown): Read<RegisterIdentity> {
  const parsed = IDENTITY.safeParse(value);
  return parsed.success ? { kind: "read", value: parsed.data } : { kind: "wrong", problem: firstProblem(parsed.error) };
}

function firstProblem(error: z.ZodError): string {
  const [issue] = error.issues;
  return `${issue?.path.join(".") || "the value"}: ${issue?.message ?? "unreadable"}`;
}

const MAX_32_BITS = 2 ** 32 - 1;
const SIGN_DIGITS = 10;

/** A number of a document, receipt or shift: 32 bits in the drive. */
const number = z
  .string({ error: "is missing" })
  .regex(/^\d{1,10}$/, "expected a whole number")
  .transform(Number)
  .refine((value) => value >= 1 && value <= MAX_32_BITS, "expected a whole number from 1");

/**
 * A fiscal sign has 32 bits in the drive. Registers print it as a decimal number with leading zeros or without (fiscal-receipts 3.1). The
 * result has ten digits, with leading zeros. Zero is refused as a typing error.
 */
const sign = z
  .string()
  .regex(/^\d{1,10}$/, "expected 1 to 10 digits")
  .refine((text) => Number(text) >= 1 && Number(text) <= MAX_32_BITS, `expected a number from 1 to ${MAX_32_BITS}`)
  .transform((text) => text.padStart(SIGN_DIGITS, "0"));

/** `390.02`, or as on paper: with a comma, and with `=` or `≡` before it. */
const sum = z.string().transform((text, context): number => {
  const roubles = parseDecimal(text.trim().replace(/^[=≡]/, "").replace(",", "."));
  const kopecks = roubles === undefined ? undefined : kopecksFromRoubles(roubles);
  if (kopecks === undefined) context.addIssue({ code: "custom", message: "expected roubles and kopecks: 390.02" });
  return kopecks ?? 0;
});

const time = z.string({ error: "is missing" }).transform((text, context): WallTime => {
  const read = parseWallTime(inFull(text.trim()));
  if (read === undefined) context.addIssue({ code: "custom", message: "expected 2026-11-12 18:42 or, as on paper, 12.11.26 18:42" });
  return read ?? "";
});

const READ_OFF = z.object({
  number: number.optional(),
  sign: sign.optional(),
  time,
  shift: number,
  receipt: number.optional(),
  sum: sum.optional(),
});

/** Returns `2026-11-12 18:42:00` for `12.11.26 18:42`. On paper the day comes first, and there are no seconds. */
function inFull(text: string): string {
  const seconds = /\d\d:\d\d:\d\d$/.test(text) ? text : `${text}:00`;
  return seconds.replace(/^(\d\d)\.(\d\d)\.(?:20)?(\d\d) /, "20$3-$2-$1 ");
}

const IDENTITY = identitySchema.extend({ driveNumber: z.string().regex(/^\d{16}$/, "expected 16 digits") });
