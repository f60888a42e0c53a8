import { z } from "zod";
import { boundedList } from "../kernel/list-schema.ts";
import { parseWallTime, type WallTime } from "../kernel/moment.ts";
import type { SettlementSign } from "./document.ts";
import { MARK_POLICIES } from "./marks/mark-check.ts";
import { UNREAD_PROBLEMS } from "./marks/marks.ts";
import { TAX_SYSTEMS, type TaxSystem, VAT_CODES } from "./tax.ts";

/*
 * What is kept of an operation, in the journal and in files that receipts are drawn from: one schema for both.
 */

/** No requisite has more than 1,024 bytes (fiscal-receipts 1); what is longer is no receipt's. */
const MAX_TEXT_LENGTH = 4_096;
/** Rates, forms of taxation, signs of settlement: a few each. */
const MAX_KINDS = 100;
/** Twice what a register takes (the model's bound): how many are too many is said in words of the trade. */
const MAX_LINES = 2_000;

const text = z.string().max(MAX_TEXT_LENGTH);
const kopecks = z.int();
const count = z.int().min(0);
const wallTime = text.transform((value, context): WallTime => {
  const time = parseWallTime(value);
  if (time === undefined) context.addIssue({ code: "custom", message: "expected a time like 2026-11-12 18:42:10" });
  return time ?? "";
});

const SIGNS = [1, 2, 3, 4] as const satisfies readonly SettlementSign[];
const sign = z.literal(SIGNS);
const vat = z.literal(VAT_CODES);
const taxSystem = z.enum(Object.keys(TAX_SYSTEMS) as TaxSystem[]);

const tenders = z.object({
  cashKopecks: kopecks,
  nonCashKopecks: kopecks,
  prepaidKopecks: kopecks,
  creditKopecks: kopecks,
  otherKopecks: kopecks,
});
const vatTotals = boundedList(z.object({ vat, sumKopecks: kopecks }), { max: MAX_KINDS });

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
  ...documentHead,
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
  markPolicy: z.enum(MARK_POLICIES).exactOptional(),
};

const day = text.regex(/^\d{4}-\d{2}-\d{2}$/);
const basis = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("own"), settledOn: day, description: text.exactOptional() }),
  z.object({ kind: z.literal("order"), settledOn: day, description: text.exactOptional(), orderNumber: text }),
]);

/** A document as it was sent. */
export const documentSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.enum(["open-shift", "close-shift", "state-report", "x-report"]), ...documentHead }),
  z.object({ kind: z.enum(["cash-in", "cash-out"]), ...documentHead, sumKopecks: kopecks }),
  z.object({ kind: z.literal("receipt"), ...settlement }),
  z.object({ kind: z.literal("correction"), ...settlement, basis }),
]);
/** What a register says of itself. */
export const identitySchema = z.object({
  driveNumber: text,
  registrationNumber: text,
  serialNumber: text,
  inn: text,
  sellerName: text,
  address: text,
  place: text,
  firmware: text,
  ffd: z.enum(["1.05", "1.1", "1.2"]),
  taxSystems: boundedList(taxSystem, { max: MAX_KINDS }),
  senderEmail: text.exactOptional(),
  fnsSite: text,
});

const signTotals = { sign, count, totalKopecks: kopecks, tenders };
const counters = z.object({
  signs: boundedList(z.object({ ...signTotals, vatTotals }), { max: MAX_KINDS }),
  corrections: count,
  correctionSums: boundedList(z.object({ sign, totalKopecks: kopecks }), { max: MAX_KINDS }).exactOptional(),
});

const drawer = z.object({ inKopecks: kopecks, outKopecks: kopecks, balanceKopecks: kopecks });

const factsHead = { identity: identitySchema, time: wallTime, shiftNumber: count, cashierName: text.exactOptional() };

/** What a register made of a document. */
export const factsSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("fiscal"),
    document: z.enum(["open-shift", "close-shift", "receipt", "correction", "state-report"]),
    ...factsHead,
    documentNumber: count,
    fiscalSign: text,
    receipt: z.object({ number: count, sign, totalKopecks: kopecks }).exactOptional(),
    change: z.object({ receivedKopecks: kopecks, changeKopecks: kopecks }).exactOptional(),
    markChecks: boundedList(count.nullable(), { max: MAX_LINES }).exactOptional(),
    shiftReport: z
      .object({
        receipts: count,
        documents: count,
        unsent: count,
        unsentSince: wallTime.exactOptional(),
        unsentNotices: count.exactOptional(),
        wrongMarks: z.boolean().exactOptional(),
        wrongRequests: z.boolean().exactOptional(),
        keyDays: z.int(),
        shiftTotals: counters,
        driveTotals: counters,
        drawer,
      })
      .exactOptional(),
    stateReport: z
      .object({
        unsent: count,
        unsentSince: wallTime.exactOptional(),
        firstUnsent: count.exactOptional(),
        driveTotals: counters.exactOptional(),
      })
      .exactOptional(),
    shiftCounts: z.object({ receipts: count, documents: count }).exactOptional(),
    warnings: z
      .object({
        keysExpireSoon: z.boolean(),
        keysExpireNow: z.boolean(),
        memoryFull: z.boolean(),
        operatorTimeout: z.boolean(),
        operatorMessage: count,
      })
      .exactOptional(),
  }),
  z.object({
    kind: z.literal("cash"),
    document: z.enum(["cash-in", "cash-out"]),
    ...factsHead,
    sumKopecks: kopecks,
    drawerKopecks: kopecks,
  }),
  z.object({
    kind: z.literal("interim"),
    document: z.literal("x-report"),
    ...factsHead,
    xReport: z.object({
      shiftOpen: z.boolean(),
      receipts: count,
      signs: boundedList(z.object(signTotals), { max: MAX_KINDS }),
      drawer,
      unsent: count,
    }),
  }),
]);
