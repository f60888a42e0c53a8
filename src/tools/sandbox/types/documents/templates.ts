import { refused } from "../../call/refusal.ts";
import {
  type Element,
  elementsIn,
  referenceIn,
  referenceTo,
  type Stored,
  type Value,
  type Values,
  withoutEmpty,
} from "../../values/stored.ts";
import type { Writing } from "../entity-type.ts";
import { pointed } from "./document.ts";
import { PAYMENT_FIELDS } from "./payments.ts";
import { settlePositions, totalsOf } from "./positions.ts";

/**
 * Returns the template of a sale (json-api 12.2, rule 12). The shift is required. Buyer, contract, project and lines come from the customer
 * order, if given.
 */
export function saleTemplate(draft: Values, writing: Writing): Values {
  if (pointed(draft, "retailShift", writing) === undefined) throw refused(1031);
  const order = pointed(draft, "customerOrder", writing);
  const nothingPaid = Object.fromEntries(PAYMENT_FIELDS.map((name) => [name, 0]));
  return withTotals(
    { ...nothingPaid, ...draft, ...(order === undefined ? {} : basis(order, ["agent", "contract", "project"], writing)) },
    order,
    writing,
  );
}

/** Returns the template of a return (json-api 12.3, rule 8), from the sale, or from a shift for a return without sale. */
export function returnTemplate(draft: Values, writing: Writing): Values {
  const sale = pointed(draft, "demand", writing);
  const shift = pointed(draft, "retailShift", writing) ?? (sale === undefined ? undefined : pointed(sale.values, "retailShift", writing));
  if (shift === undefined) throw refused(1031);
  const place = { ...basis(shift, ["organization", "retailStore", "store"], writing), retailShift: referenceTo(shift) };
  const nothingReturned = { cashSum: 0, noCashSum: 0, qrSum: 0 };
  const ofSale =
    sale === undefined
      ? {}
      : basis(sale, ["agent", "organization", "rate", "vatEnabled", "vatIncluded", "cashSum", "noCashSum", "qrSum"], writing);
  return withTotals({ ...nothingReturned, ...place, ...draft, ...ofSale }, sale, writing);
}

/**
 * Returns the template of a drawer operation (json-api 12.5, rules for both): an optional shift with its organization, the caller as
 * employee, the sum zero.
 */
export function drawerTemplate(draft: Values, writing: Writing): Values {
  const shift = pointed(draft, "retailShift", writing);
  const agent = referenceTo(writing.call.caller.employee);
  return { sum: 0, agent, ...(shift === undefined ? {} : basis(shift, ["organization"], writing)), ...draft };
}

/** Returns the fields of the basis, except fields stated in the body. */
function basis({ values }: Stored, names: readonly string[], { given }: Writing): Values {
  return withoutEmpty(Object.fromEntries(names.filter((name) => !given.has(name)).map((name) => [name, values[name]])));
}

/**
 * Returns the template with totals, and with the lines of the body. If the body has no lines, the template has the lines of the basis.
 * Lines get their ids on saving.
 */
function withTotals(draft: Values, source: Stored | undefined, writing: Writing): Values {
  const own = elementsIn(draft.positions);
  const lines = own.length > 0 ? own : elementsIn(source?.values.positions).map(copied);
  const positions = settlePositions({ ...draft, positions: lines.map(asValue) }, writing);
  return { ...draft, ...totalsOf(positions, draft, writing.call.precise), positions: positions.map(asValue) };
}

function copied({ values }: Element): Element {
  const { shipped: _shipped, reserve: _reserve, ...line } = values;
  return { id: referenceIn(values.assortment)?.id ?? "", values: line };
}

function asValue({ id, values }: Element): Value {
  return { id, values };
}
