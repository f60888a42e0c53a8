import { z } from "zod";
import { boundedList } from "../../kernel/list-schema.ts";
import { MARK_POLICIES } from "../marks/mark-check.ts";
import { UNREAD_PROBLEMS } from "../marks/marks.ts";
import { count, kopecks, MAX_LINES, sign, taxSystem, tenders, text, vat, vatTotals } from "./parts-schema.ts";

const documentHead = {
  reference: text,
  cashierName: text.exactOptional(),
  address: text.exactOptional(),
  place: text.exactOptional(),
};

const receiptLine = z.object({
  name: text,
  quantityMillionths: count,
  unit: z.object({ code: count, label: text }),
  priceKopecks: kopecks,
  sumKopecks: kopecks,
  vat,
  vatKopecks: kopecks,
  subject: count,
  method: count,
  mark: text.exactOptional(),
  unreadMark: z.enum(UNREAD_PROBLEMS).exactOptional(),
  permit: z.object({ authority: text, ruleDate: text, ruleNumber: text, value: text }).exactOptional(),
  pack: z.object({ name: text, quantityMillionths: count }).exactOptional(),
  discount: z.object({ fullPriceKopecks: kopecks, percent: text, differenceKopecks: kopecks }).exactOptional(),
});

const settlement = {
  sign,
  taxSystem,
  lines: boundedList(receiptLine, { max: MAX_LINES }),
  totalKopecks: kopecks,
  roundingKopecks: kopecks,
  tenders,
  vatTotals,
  buyerContact: text.exactOptional(),
  senderEmail: text.exactOptional(),
  originalSign: text.exactOptional(),
};
const tradeHead = { ...documentHead, ...settlement, markPolicy: z.enum(MARK_POLICIES).exactOptional() };

const day = text.regex(/^\d{4}-\d{2}-\d{2}$/);
const basis = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("own"), settledOn: day, description: text.exactOptional() }),
  z.object({ kind: z.literal("order"), settledOn: day, description: text.exactOptional(), orderNumber: text }),
]);

export const settlementSchema = z.object({ ...settlement, basis });

export const documentSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.enum(["open-shift", "close-shift", "state-report", "x-report"]), ...documentHead }),
  z.object({ kind: z.enum(["cash-in", "cash-out"]), ...documentHead, sumKopecks: kopecks }),
  z.object({ kind: z.literal("receipt"), ...tradeHead }),
  z.object({ kind: z.literal("correction"), ...tradeHead, basis }),
]);
