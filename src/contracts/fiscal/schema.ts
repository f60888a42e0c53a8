import { z } from "zod";
import { boundedList } from "../../kernel/list-schema.ts";
import {
  amount,
  contact,
  discount,
  flag,
  marks,
  meta,
  moment,
  name,
  optionalAmount,
  optionalReference,
  optionalText,
  positiveAmount,
  quantity,
  rate,
  reference,
} from "./fields.ts";

/** Bodies of the fiscal contract (platform-contracts 4.4). Unknown fields are ignored. */

/** The maximum number of positions. The model allows a receipt a thousand lines, and each position makes at least one line. */
export const MAX_POSITIONS = 1_000;

const cashier = z
  .object({
    meta: z.object({ id: optionalText.describe("Id of the employee") }).nullish(),
    firstName: optionalText,
    middleName: optionalText.describe("Patronymic"),
    lastName: optionalText.describe("Surname"),
  })
  .nullish()
  .transform((value) =>
    value === null || value === undefined
      ? undefined
      : { id: value.meta?.id, firstName: value.firstName, middleName: value.middleName, lastName: value.lastName },
  )
  .describe("Printed on the document; the cashier of the open shift when absent");

const head = {
  retailShift: reference.describe("The shift"),
  name: name.describe("Number of the document in the platform"),
  retailStore: reference.nullish().describe("The point of sale; also spelled `retailstore`"),
  retailstore: reference.nullish().describe("Other spelling of `retailStore`"),
  // One published sample has this spelling (platform-contracts 9).
  retilstore: reference.nullish().describe("Misspelling of `retailStore`, tolerated"),
  cashier,
};

const position = z.object({
  assortment: z
    .object({
      meta: z
        .object({ id: optionalText.describe("Id of the goods"), type: optionalText.describe("`Service` is settled as a service") })
        .nullish(),
      name: name.describe("What is printed and registered"),
    })
    .describe("The goods"),
  uom: z
    .object({ name: optionalText, code: optionalText.describe("ОКЕИ code") })
    .nullish()
    .describe("Unit; pieces when absent"),
  quantity: quantity.meta({ description: "Above zero, at most six decimals", examples: [0.356] }),
  price: amount.meta({ description: "Unit price before discount, in the unit of FISCAL_MONEY_SCALE", examples: ["54.90"] }),
  discount: discount.meta({ description: "Percentage; negative is a mark-up", examples: ["10"] }),
  pack: z
    .object({ name: optionalText, quantity: rate })
    .nullish()
    .catch(undefined)
    .describe("Packing; for people only: a wrong one is left out"),
  vat: rate.meta({ description: "VAT rate in per cent", examples: [22] }),
  vatEnabled: flag.nullish().describe("False: without VAT. When absent: true with a rate, false without one"),
  marks: marks.describe("Marking codes, as texts or as objects with `cis`: one a piece; of goods sold by measure one for the position"),
});

const payments = z.object({
  cashSum: optionalAmount.describe("Cash"),
  cardSum: optionalAmount.describe("Card"),
  qrSum: optionalAmount.describe("By QR code; never together with cash or card"),
  prepaymentCashSum: optionalAmount.describe("Prepaid in cash; sales only, like the three below"),
  prepaymentCardSum: optionalAmount.describe("Prepaid by card"),
  prepaymentQrSum: optionalAmount.describe("Prepaid by QR; only with `qrSum` or alone"),
  advanceSum: optionalAmount.describe("Advance; never together with a prepayment"),
});

const trade = {
  meta: meta.describe("The document"),
  ...head,
  moment,
  payments,
  phone: contact.describe("Of the buyer; dropped when invalid"),
  email: contact.describe("Of the buyer; dropped when invalid"),
  positions: boundedList(position, { min: 1, max: MAX_POSITIONS }).describe(`1 to ${MAX_POSITIONS}`),
  vatEnabled: flag.nullish().describe("False: the whole document is without VAT; true when absent"),
  vatIncluded: flag.nullish().describe("False: VAT is added on top of the prices; true when absent"),
};

const cash = {
  meta: meta.describe("The document"),
  ...head,
  moment,
  sum: positiveAmount.meta({ description: "Above zero, in the unit of FISCAL_CASH_SCALE", examples: ["200000"] }),
};

export const openShiftSchema = z.object({ ...head, openMoment: moment }).transform(chooseStore);
export const closeShiftSchema = z.object({ ...head, closeMoment: moment }).transform(chooseStore);
export const saleSchema = z.object(trade).transform(chooseStore);
export const salesReturnSchema = z
  .object({ ...trade, demand: optionalReference.describe("The sale that is returned") })
  .transform(chooseStore);
export const cashSchema = z.object(cash).transform(chooseStore);

export type OpenShiftBody = z.output<typeof openShiftSchema>;
export type CloseShiftBody = z.output<typeof closeShiftSchema>;
export type SaleBody = z.output<typeof saleSchema>;
export type SalesReturnBody = z.output<typeof salesReturnSchema>;
export type CashBody = z.output<typeof cashSchema>;
export type PositionBody = z.output<typeof position>;
export type PaymentsBody = z.output<typeof payments>;

/** The answer for a registered operation. Its fields have the order of the contract's documents. */
export const doneSchema = z.object({
  fnNumber: z.string().describe("Number of the fiscal drive"),
  kktRegNumber: z.string().describe("Registration number of the register"),
  fiscalDocNumber: z.string().describe("Number of the fiscal document; `0` for cash in and out, which are none"),
  fiscalDocSign: z.string().describe("Fiscal sign; `0` for cash in and out"),
  receipt: z.string().optional().describe("Base64 of a zip with `receipt.pdf`; absent only when drawing failed: a repeat completes it"),
  time: z.string().describe("Time of the document by the register's clock, YYYY-MM-DD HH:MM:SS"),
});

export const shiftOpenedSchema = doneSchema.extend({ shiftNumber: z.string().describe("Number of the register's shift") });

export const shiftClosedSchema = shiftOpenedSchema.extend({
  chequesTotal: z.number().int().describe("Receipts in the shift"),
  fiscalDocsTotal: z.number().int().describe("Fiscal documents in the shift, both reports included"),
});

export const errorsSchema = z.object({
  errors: boundedList(
    z.object({
      error: z.string().describe("Short title"),
      code: z.number().int(),
      error_message: z.string().describe("What the cashier should do, in Russian"),
      parameter: z.string().optional().describe("The field at fault, or the variable of the server that says in which unit amounts come"),
    }),
    { max: 1 },
  ),
});

interface Stores<Store> {
  retailStore?: Store | null | undefined;
  retailstore?: Store | null | undefined;
  retilstore?: Store | null | undefined;
}

/** Takes the point of sale from the first spelling that the body has: the platform's attribute lists and samples differ in spelling. */
function chooseStore<Store, T extends Stores<Store>>(body: T & Stores<Store>, context: Pick<z.RefinementCtx, "addIssue">) {
  const { retailStore, retailstore, retilstore, ...rest } = body;
  const store = retailStore ?? retailstore ?? retilstore;
  if (store !== null && store !== undefined) return { ...rest, store };
  context.addIssue({ code: "custom", path: ["retailStore"], params: { problem: "missing" } });
  return z.NEVER;
}
