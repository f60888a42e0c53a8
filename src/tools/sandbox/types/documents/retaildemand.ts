import { referenceTo, type Stored, type Value, type Values, withoutEmpty } from "../../values/stored.ts";
import type { EntityType, Writing } from "../entity-type.ts";
import { fieldTable } from "../field.ts";
import { TAX_SYSTEM } from "../shapes.ts";
import { CHEQUE_SHAPES } from "./cheques.ts";
import { keepClosedShift } from "./closed-shift.ts";
import {
  checkShift,
  completeDocument,
  DOCUMENT,
  DOCUMENT_SHAPES,
  documentTable,
  ownCurrency,
  pointed,
  settleDocument,
  withRate,
} from "./document.ts";
import { settlePayments } from "./payments.ts";
import { DEMAND_POSITION, settlePositions, totalsOf } from "./positions.ts";
import { keepReturned } from "./returned.ts";
import { saleTemplate } from "./templates.ts";

const GIFT_CARD = fieldTable(`
  name        string(255)
  paymentSum  number  ro
`);

/** A sale at the till (json-api 12.2). Only `retailShift` is required; other fields have defaults (json-api D26). */
export const RETAILDEMAND: EntityType = {
  ...DOCUMENT,
  name: "retaildemand",
  fields: documentTable(
    `
    advancePaymentSum    number            out
    agent                ref:counterparty  out exp E
    agentAccount         ref:account       exp
    applicable           bool              out E
    cashSum              number            out
    checkNumber          int
    checkSum             number
    cheque               object:saleCheque ro
    code                 string(255)       T
    customerOrder        ref:customerorder exp
    documentNumber       int
    files                list:file         out exp
    giftCards            objects:giftCard
    noCashSum            number            out
    organization         ref:organization  out exp E
    organizationAccount  ref:account       exp
    payedSum             number            ro out
    positions            list:demandposition out exp
    prepaymentCashSum    number            out
    prepaymentNoCashSum  number            out
    prepaymentQrSum      number            out
    qrSum                number            out
    rate                 object:rate       out
    retailShift          ref:retailshift   req out exp E
    retailStore          ref:retailstore   out exp E
    sessionNumber        int
    state                ref:state         exp E
    store                ref:store         out exp E
    sum                  number            ro out C
    taxSystem            ${TAX_SYSTEM}     out
    updated              datetime          ro out C
    vatEnabled           bool              out
    vatIncluded          bool
    vatSum               number            ro
    `,
    { ...DOCUMENT_SHAPES, ...CHEQUE_SHAPES, giftCard: GIFT_CARD },
  ),
  lists: { ...DOCUMENT.lists, positions: DEMAND_POSITION },
  attributesOf: "retaildemand",
  webName: "retaildemand",
  complete,
  template: saleTemplate,
  settle,
};

function complete(draft: Values, writing: Writing): Values {
  const shift = pointed(draft, "retailShift", writing)?.values ?? {};
  return {
    applicable: true,
    vatEnabled: true,
    vatIncluded: true,
    payedSum: 0,
    taxSystem: pointed(shift, "retailStore", writing)?.values.defaultTaxSystem ?? "GENERAL_TAX_SYSTEM",
    ...completeDocument("retaildemand", inherited(draft, writing), writing),
  };
}

/**
 * Returns the draft with values from its shift and account. A null in the body restores these values, because a sale always has them
 * (json-api 12.2).
 */
function inherited(draft: Values, writing: Writing): Values {
  const { organization, retailStore, store } = pointed(draft, "retailShift", writing)?.values ?? {};
  return { ...ownCurrency(writing), ...withoutEmpty({ organization, retailStore, store, agent: retailBuyer(writing) }), ...draft };
}

function settle(given: Values, before: Stored | undefined, writing: Writing): Values {
  const draft = withRate(inherited(given, writing), writing);
  settleDocument("retaildemand", draft, before, writing);
  checkShift(draft, before, 3007, writing);
  const positions = settlePositions(draft, writing);
  keepReturned(positions, before, writing);
  const totals = totalsOf(positions, draft, writing.call.precise);
  const paid = settlePayments(draft, totals.sum, before, writing);
  const value: Value = positions.map(({ id, values }) => ({ id, values }));
  return keepClosedShift({ ...draft, ...paid, ...totals, positions: value }, before, 3007, writing);
}

/** Returns the default buyer of a sale: the "retail buyer", or the first counterparty if there is none. */
function retailBuyer({ account }: Writing): Value | undefined {
  const buyers = [...account.objects.all("counterparty").values()];
  const buyer = buyers.find(({ values }) => values.name === "Розничный покупатель") ?? buyers[0];
  return buyer === undefined ? undefined : referenceTo(buyer);
}
