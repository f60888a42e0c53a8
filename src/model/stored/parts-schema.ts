import { z } from "zod";
import { boundedList } from "../../kernel/list-schema.ts";
import { parseWallTime, type WallTime } from "../../kernel/moment.ts";
import type { SettlementSign } from "../document.ts";
import { TAX_SYSTEMS, type TaxSystem, VAT_CODES } from "../tax.ts";

/*
 * Parts of the schemas in this folder. The schemas check operations, documents, facts and reasons that come from the journal, from files
 * for drawing receipts, from agents or from another process of the server.
 */

/** No requisite has more than 1,024 bytes (fiscal-receipts 1.1, 1.3), so no text of a receipt reaches this length. */
const MAX_TEXT_LENGTH = 4_096;
/** The largest number of rates, taxation systems or settlement signs. Far fewer exist. */
export const MAX_KINDS = 100;
/** Twice `MAX_RECEIPT_LINES`. The draft of a receipt checks the exact limit, and its error has words for a cashier. */
export const MAX_LINES = 2_000;

export const text = z.string().max(MAX_TEXT_LENGTH);
/** A text that no receipt shows unchanged. The program that wrote the text has bounded its length. */
export const words = z.string();
export const kopecks = z.int();
export const count = z.int().min(0);
export const wallTime = text.transform((value, context): WallTime => {
  const time = parseWallTime(value);
  if (time === undefined) context.addIssue({ code: "custom", message: "expected a time like 2026-11-12 18:42:10" });
  return time ?? "";
});

const SIGNS = [1, 2, 3, 4] as const satisfies readonly SettlementSign[];
export const sign = z.literal(SIGNS);
export const vat = z.literal(VAT_CODES);
export const taxSystem = z.enum(Object.keys(TAX_SYSTEMS) as TaxSystem[]);

export const tenders = z.object({
  cashKopecks: kopecks,
  nonCashKopecks: kopecks,
  prepaidKopecks: kopecks,
  creditKopecks: kopecks,
  otherKopecks: kopecks,
});
export const vatTotals = boundedList(z.object({ vat, sumKopecks: kopecks }), { max: MAX_KINDS });
