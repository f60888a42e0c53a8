import { z } from "zod";
import { boundedList } from "../../kernel/list-schema.ts";
import { count, kopecks, MAX_KINDS, MAX_LINES, sign, taxSystem, tenders, text, vatTotals, wallTime } from "./parts-schema.ts";

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
