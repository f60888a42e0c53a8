import { z } from "zod";
import { boundedList } from "../../kernel/list-schema.ts";
import { ID_TYPES, type Operation } from "../operation.ts";
import { ITEM_KINDS } from "../subjects.ts";
import { settlementSchema } from "./document-schema.ts";
import { kopecks, MAX_LINES, taxSystem, words } from "./parts-schema.ts";

const platformId = z.object({ id: words, idType: z.enum(ID_TYPES) });
const unit = z.object({ name: words, code: words.exactOptional() });
const cashier = z.object({
  id: words.exactOptional(),
  firstName: words.exactOptional(),
  middleName: words.exactOptional(),
  lastName: words.exactOptional(),
});

const known = z.object({
  cashier: cashier.exactOptional(),
  taxSystem: taxSystem.exactOptional(),
  goods: boundedList(
    z
      .object({
        kind: z.enum(ITEM_KINDS).exactOptional(),
        taxSystem: taxSystem.exactOptional(),
        unit: unit.exactOptional(),
        marked: z.literal(true).exactOptional(),
      })
      .nullable(),
    { max: MAX_LINES },
  ),
});

const operationHead = {
  document: platformId,
  shift: platformId,
  storeId: words,
  name: words,
  moment: words,
  cashier: cashier.exactOptional(),
  known: known.exactOptional(),
};

const position = z.object({
  assortment: z.object({ id: words.exactOptional(), type: words.exactOptional(), name: words }),
  unit: unit.exactOptional(),
  quantityMillionths: z.int(),
  priceKopecks: kopecks,
  discountPercent: words,
  vatPercent: words.exactOptional(),
  vatEnabled: z.boolean(),
  marks: boundedList(words, { max: MAX_LINES }),
  pack: z.object({ name: words, quantityMillionths: z.int() }).exactOptional(),
});

export const operationSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.enum(["open-shift", "close-shift"]), ...operationHead }),
  z.object({ kind: z.enum(["cash-in", "cash-out"]), ...operationHead, sumKopecks: kopecks }),
  z.object({
    kind: z.enum(["sale", "sales-return"]),
    ...operationHead,
    positions: boundedList(position, { max: MAX_LINES }),
    payments: z.object({
      cashKopecks: kopecks,
      cardKopecks: kopecks,
      qrKopecks: kopecks,
      prepaymentCashKopecks: kopecks,
      prepaymentCardKopecks: kopecks,
      prepaymentQrKopecks: kopecks,
      advanceKopecks: kopecks,
    }),
    phone: words.exactOptional(),
    email: words.exactOptional(),
    vatEnabled: z.boolean(),
    vatIncluded: z.boolean(),
    original: platformId.exactOptional(),
  }),
  z.object({
    kind: z.literal("correction"),
    ...operationHead,
    step: z.enum(["undo", "redo", "missed"]),
    of: z.object({ operation: z.enum(["sale", "sales-return", "correction"]), document: platformId }),
    settlement: settlementSchema,
  }),
  z.object({ kind: z.enum(["x-report", "state-report"]), ...operationHead }),
]) satisfies z.ZodType<Operation>;
