import { z } from "zod";
import { cutText } from "../../kernel/cut-text.ts";
import { parseStorable } from "../../kernel/json/storable.ts";
import { parseWallTime } from "../../kernel/moment.ts";
import { MAX_KOPECKS } from "../../kernel/money.ts";
import { MAX_NAME_LENGTH, MAX_POINTS } from "../programme/bounds.ts";

const MAX_TEXT_LENGTH = 255;
const MAX_REASON = 300;

const text = z.string().trim().max(MAX_TEXT_LENGTH);
const day = z.string().refine((value) => /^\d{4}-\d{2}-\d{2}$/.test(value) && parseWallTime(`${value} 00:00:00`) !== undefined, {
  message: "must be a day such as 2026-11-29",
});

/** A row of an import (surface 8). Days are in the zone of the account. The day `expiresAt` is included. */
const importRowSchema = z
  .strictObject({
    key: z.string().trim().min(1).max(MAX_NAME_LENGTH),
    name: text,
    phone: text.optional(),
    email: text.optional(),
    card: text.optional(),
    birthDate: day.optional(),
    points: z.int().min(0).max(MAX_POINTS),
    activeFrom: day.optional(),
    expiresAt: day.optional(),
    spentKopecks: z.int().min(0).max(MAX_KOPECKS).optional(),
  })
  .refine(({ activeFrom, expiresAt }) => activeFrom === undefined || expiresAt === undefined || activeFrom <= expiresAt, {
    path: ["expiresAt"],
    message: "is before activeFrom",
  });

export type ImportRow = z.infer<typeof importRowSchema>;

type RowReading = { kind: "row"; row: ImportRow } | { kind: "bad"; why: string };

/** Reads one line of an import file. `why`: in English, without the line's values. */
export function readImportRow(line: string): RowReading {
  let value: unknown;
  try {
    value = parseStorable(line);
  } catch {
    return { kind: "bad", why: "is no JSON" };
  }
  const read = importRowSchema.safeParse(value);
  if (read.success) return { kind: "row", row: read.data };
  const [issue] = read.error.issues;
  // Zod's message quotes all unknown names of the line, so it is cut.
  return { kind: "bad", why: cutText(`${issue?.path.join(".") ?? ""} ${issue?.message ?? "is wrong"}`.trim(), MAX_REASON) };
}
