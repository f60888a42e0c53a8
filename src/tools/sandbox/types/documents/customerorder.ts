import type { Account } from "../../account/account.ts";
import { refused, within, withinEach } from "../../call/refusal.ts";
import { shippedOf, stillReserved } from "../../stock/shipped.ts";
import { numberIn } from "../../values/number.ts";
import { type Element, elementsIn, referenceIn, type Stored, type Value, type Values, withoutEmpty } from "../../values/stored.ts";
import type { EntityType, Writing } from "../entity-type.ts";
import { settleAddress } from "../parties/addresses.ts";
import { SHAPES, TAX_SYSTEM } from "../shapes.ts";
import { completeDocument, DOCUMENT, DOCUMENT_SHAPES, documentTable, ownCurrency, settleDocument, withRate } from "./document.ts";
import { ORDER_POSITION, settlePositions, totalsOf } from "./positions.ts";

/** A buyer's order (json-api 13.9). */
export const CUSTOMERORDER: EntityType = {
  ...DOCUMENT,
  name: "customerorder",
  fields: documentTable(
    `
    agent                  ref:counterparty  req out exp E
    agentAccount           ref:account       exp
    applicable             bool              out E
    code                   string(255)       T
    contract               ref:contract      exp E
    deliveryPlannedMoment  minute            C
    files                  list:file         out exp
    invoicedSum            number            ro out
    organizationAccount    ref:account       exp
    payedSum               number            ro out
    positions              list:customerorderposition out exp
    project                ref:project       exp E
    rate                   object:rate       out
    reservedSum            number            ro out
    salesChannel           ref:saleschannel  exp E
    shipmentAddress        string(255)       T
    shipmentAddressFull    object:address
    shippedSum             number            ro out
    state                  ref:state         exp E
    store                  ref:store         exp E
    sum                    number            ro out C
    taxSystem              ${TAX_SYSTEM}
    updated                datetime          ro out C
    vatEnabled             bool              out
    vatIncluded            bool
    vatSum                 number            ro
    `,
    { ...DOCUMENT_SHAPES, ...SHAPES },
  ),
  lists: { ...DOCUMENT.lists, positions: ORDER_POSITION },
  attributesOf: "customerorder",
  webName: "customerorder",
  order: [...DOCUMENT.order, "deliveryPlannedMoment"],
  complete: (draft, writing) => ({
    applicable: true,
    vatEnabled: true,
    vatIncluded: true,
    invoicedSum: 0,
    payedSum: 0,
    shippedSum: 0,
    ...ownCurrency(writing),
    ...completeDocument("customerorder", draft, writing),
  }),
  settle,
  derive,
};

function settle(given: Values, before: Stored | undefined, writing: Writing): Values {
  const draft = withRate(given, writing);
  settleDocument("customerorder", draft, before, writing);
  if (before !== undefined) {
    refuseAlone(draft, before, "organization", "organizationAccount", 17000, writing);
    refuseAlone(draft, before, "agent", "agentAccount", 17001, writing);
  }
  const positions = settlePositions(draft, writing).map(({ id, values }) => ({ id, values: { shipped: 0, ...values } as Values }));
  within("positions", () => withinEach(positions, checkReserve));
  const totals = totalsOf(positions, draft, writing.call.precise);
  const reservedSum = positions.reduce((sum, { values }) => sum + numberIn(values.reserve) * numberIn(values.price), 0);
  const address = settleAddress(draft, before, writing, "shipmentAddress");
  return withoutEmpty({ ...draft, ...address, ...totals, reservedSum, positions: positions as Value });
}

/**
 * Returns what the order's sales shipped. A sale is always paid, so the paid sum equals the shipped sum. A line keeps its stated `reserve`:
 * a return puts the goods back into the reserve.
 */
function derive(order: Stored, account: Account): Values {
  const shipped = shippedOf(order, account);
  if (shipped === undefined) return {};
  const lines = elementsIn(order.values.positions);
  return {
    shippedSum: shipped.sum,
    payedSum: shipped.sum,
    reservedSum: lines.reduce((sum, line) => sum + stillReserved(line, shipped) * numberIn(line.values.price), 0),
    positions: lines.map(({ id, values }) => ({ id, values: { ...values, shipped: shipped.lines.get(id) ?? 0 } })),
  };
}

function checkReserve({ values }: Element): void {
  if (numberIn(values.reserve) > numberIn(values.quantity)) throw refused(17003, "reserve");
}

/** Throws if the body changes a party without its bank account, and the order has the bank account of the old party. */
function refuseAlone(draft: Values, before: Stored, party: string, account: string, code: number, { given }: Writing): void {
  const moved = referenceIn(draft[party])?.id !== referenceIn(before.values[party])?.id;
  if (moved && before.values[account] !== undefined && !given.has(account)) throw refused(code);
}
