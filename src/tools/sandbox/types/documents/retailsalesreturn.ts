import { refused } from "../../call/refusal.ts";
import { numberIn } from "../../values/number.ts";
import { referenceIn, type Stored, type Value, type Values } from "../../values/stored.ts";
import { FILE } from "../attachments.ts";
import type { EntityType, Writing } from "../entity-type.ts";
import { TAX_SYSTEM } from "../shapes.ts";
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
import { RETURN_POSITION, settlePositions, totalsOf } from "./positions.ts";
import { checkGoods } from "./returned.ts";
import { returnTemplate } from "./templates.ts";

/** The difference between the sums and the total must be below this number of kopecks (json-api 12.3, rule 4). */
const TOLERANCE = 10;

/** A return at the till (json-api 12.3). */
export const RETAILSALESRETURN: EntityType = {
  ...DOCUMENT,
  name: "retailsalesreturn",
  fields: documentTable(
    `
    agent                ref:counterparty  req out exp E
    agentAccount         ref:account       exp
    applicable           bool              out E
    cashSum              number            out
    code                 string(255)       T
    contract             ref:contract      exp E
    demand               ref:retaildemand  exp
    noCashSum            number            out
    organizationAccount  ref:account       exp
    positions            list:salesreturnposition out exp
    qrSum                number            out
    rate                 object:rate       out
    retailShift          ref:retailshift   req out exp E
    retailStore          ref:retailstore   req out exp E
    state                ref:state         exp E
    store                ref:store         req out exp E
    sum                  number            ro out C
    taxSystem            ${TAX_SYSTEM}
    updated              datetime          ro out C
    vatEnabled           bool              out
    vatIncluded          bool
    vatSum               number            ro
    `,
    DOCUMENT_SHAPES,
  ),
  // The documentation's table of a return lacks `files`, but all five documents have `/files` (json-api 12).
  lists: { ...DOCUMENT.lists, positions: RETURN_POSITION, files: FILE },
  attributesOf: "retailsalesreturn",
  webName: "retailsalesreturn",
  complete: (draft, writing) => ({
    applicable: true,
    vatEnabled: true,
    vatIncluded: true,
    ...ownCurrency(writing),
    ...completeDocument("retailsalesreturn", draft, writing),
  }),
  template: returnTemplate,
  settle,
};

function settle(given: Values, before: Stored | undefined, writing: Writing): Values {
  const draft = withRate(given, writing);
  settleDocument("retailsalesreturn", draft, before, writing);
  if (before !== undefined) refuseMoved(draft, before);
  checkShift(draft, before, 19000, writing);
  const sale = pointed(draft, "demand", writing);
  if (before === undefined && sale?.values.deleted !== undefined) throw refused(3007, undefined, "продажа находится в корзине");
  if (sale !== undefined) checkAgainstSale(draft, sale);
  if (writing.call.settings.enforceReturnFlags) checkFlags(sale, draft, writing);
  const positions = settlePositions(draft, writing);
  if (sale !== undefined) checkGoods(positions, sale, before, writing);
  const totals = totalsOf(positions, draft, writing.call.precise);
  const sums = settleSums(draft, totals.sum, sale, before, writing);
  const value: Value = positions.map(({ id, values }) => ({ id, values }));
  return keepClosedShift({ ...draft, ...sums, ...totals, positions: value }, before, 19000, writing);
}

/** Throws 3001 for a changed read-only field, 17000 if the organization changes without its bank account (json-api 12.3, rule 6). */
function refuseMoved(draft: Values, before: Stored): void {
  for (const name of ["agent", "agentAccount", "demand"]) {
    if (referenceIn(draft[name])?.id !== referenceIn(before.values[name])?.id) throw refused(3001, name);
  }
  const moved = referenceIn(draft.organization)?.id !== referenceIn(before.values.organization)?.id;
  if (moved && referenceIn(draft.organizationAccount)?.id === referenceIn(before.values.organizationAccount)?.id) throw refused(17000);
}

/** Throws 3004 if buyer, organization or currency differs from the sale (json-api 12.3, rule 3). */
function checkAgainstSale(draft: Values, { values: sale }: Stored): void {
  for (const name of ["agent", "organization"]) {
    if (referenceIn(draft[name])?.id !== referenceIn(sale[name])?.id) throw refused(3004, name);
  }
  if (currencyOf(draft.rate) !== currencyOf(sale.rate)) throw refused(3004, "rate");
}

function currencyOf(rate: Value | undefined): string | undefined {
  return referenceIn((rate as Values | undefined)?.currency)?.id;
}

/** Throws if the point of sale forbids the return (json-api D32). */
function checkFlags(sale: Stored | undefined, draft: Values, writing: Writing): void {
  const store = pointed(draft, "retailStore", writing)?.values ?? {};
  if (sale === undefined && store.enableReturnsWithNoReason !== true)
    throw refused(3007, undefined, "возврат без чека запрещён в точке продаж");
  const closed = sale !== undefined && pointed(sale.values, "retailShift", writing)?.values.closeDate !== undefined;
  if (closed && store.returnFromClosedShiftEnabled !== true) throw refused(3007, undefined, "возврат продажи закрытой смены запрещён");
}

const SUMS = ["cashSum", "noCashSum", "qrSum"] as const;

/**
 * Returns the sums of a return (json-api 12.3, rules 1, 4 and 5). Without stated sums, a sale paid by QR is returned by QR, any other
 * return is in cash. A changed return keeps its card sum, as far as its total allows.
 */
function settleSums(draft: Values, sum: number, sale: Stored | undefined, before: Stored | undefined, { given, account }: Writing): Values {
  for (const name of SUMS) if (numberIn(draft[name]) < 0) throw refused(3002, name);
  const stated = SUMS.some((name) => given.has(name)) || before !== undefined;
  if (sale === undefined && (draft.cashSum === undefined || draft.noCashSum === undefined)) throw refused(19001);
  const paidByQr = sale !== undefined && numberIn(sale.values.qrSum) + numberIn(sale.values.prepaymentQrSum) > 0;
  const sums = { cashSum: numberIn(draft.cashSum), noCashSum: numberIn(draft.noCashSum), qrSum: numberIn(draft.qrSum) };
  if (!stated || (before !== undefined && !SUMS.some((name) => given.has(name)) && sum !== before.values.sum)) {
    // If the total is below the stored card sum, the card sum becomes the total and cash becomes zero.
    const noCashSum = Math.min(sums.noCashSum, sum);
    if (paidByQr) Object.assign(sums, { qrSum: sum, cashSum: 0, noCashSum: 0 });
    else Object.assign(sums, { cashSum: sum - noCashSum, noCashSum, qrSum: 0 });
  }
  if (paidByQr && sums.cashSum + sums.noCashSum > 0) throw refused(19003);
  if (!paidByQr && sums.qrSum > 0) throw refused(19004);
  if (sale !== undefined && sums.noCashSum > cardLeft(sale, before, account)) throw refused(19005);
  if (Math.abs(sums.cashSum + sums.noCashSum + sums.qrSum - sum) >= TOLERANCE) throw refused(19002);
  return sums;
}

/** Returns the sale's card payment minus the card sums of other returns. Returns in the recycle bin do not count. */
function cardLeft(sale: Stored, before: Stored | undefined, account: Writing["account"]): number {
  let left = numberIn(sale.values.noCashSum) + numberIn(sale.values.prepaymentNoCashSum);
  for (const other of account.backlinks.of("demand", sale).values()) {
    if (other.id !== before?.id && other.values.deleted === undefined) left -= numberIn(other.values.noCashSum);
  }
  return left;
}
