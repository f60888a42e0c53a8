import { refused, within, withinEach } from "../../call/refusal.ts";
import { MAX_NUMBER, numberIn } from "../../values/number.ts";
import { type Element, elementsIn, referenceIn, type Value, type Values } from "../../values/stored.ts";
import type { ElementType, Writing } from "../entity-type.ts";
import { fieldTable, type Shapes } from "../field.ts";
import { TAX_SYSTEM } from "../shapes.ts";
import { goodsOf, isMeasured, withOwnPack, withoutCodes, withSerials } from "./line-goods.ts";
import { lineStock } from "./line-stock.ts";
import { checkTrackingCodes } from "./tracking-codes.ts";

/** The maximum number of lines in the body of a document (json-api 7.3). More lines can be added at the address of the lines. */
const MAX_LINES = 1000;
const MAX_PERCENT = 100;

const LINE_SHAPES: Shapes = {
  pack: fieldTable(`
    id        uuid
    quantity  number
    uom       ref:uom
  `),
};

const COMMON_LINE = `
    id           uuid      ro out
    accountId    uuid      ro out
    assortment   ref:product|service|variant|bundle  req out exp
    discount     number    out
    pack         object:pack
    price        number    out
    quantity     number    out
    vat          int       out
    vatEnabled   bool      out
`;

/** Throws 17021 (json-api 12) for a taxed line without a rate, or if the body removes the rate. */
function checkRate({ vatEnabled, vat }: Readonly<Record<string, unknown>>, before: Values | undefined): void {
  const taxed = (vatEnabled ?? before?.vatEnabled) === true;
  const had = before?.vatEnabled === true && vat !== null;
  if (taxed && typeof vat !== "number" && !had) throw refused(17021, "vat");
}

/** Lines of a sale (json-api 12.2). */
export const DEMAND_POSITION: ElementType = {
  name: "demandposition",
  check: checkRate,
  complete: withOwnPack,
  decorate: lineStock,
  fields: fieldTable(
    `${COMMON_LINE}
    cost                int
    declaration         json:objects  ro
    things              strings
    trackingCodes       json:objects
    trackingCodes_1162  json:objects
  `,
    LINE_SHAPES,
  ),
};

/** Lines of a return (json-api 12.3). */
export const RETURN_POSITION: ElementType = {
  name: "salesreturnposition",
  check: checkRate,
  complete: withOwnPack,
  decorate: lineStock,
  fields: fieldTable(
    `${COMMON_LINE}
    cost    int
    things  strings
  `,
    LINE_SHAPES,
  ),
};

/** Lines of a customer order (json-api 13.9). */
export const ORDER_POSITION: ElementType = {
  name: "customerorderposition",
  check: checkRate,
  complete: withOwnPack,
  decorate: lineStock,
  fields: fieldTable(
    `${COMMON_LINE}
    reserve    number
    shipped    number  ro out
    taxSystem  ${TAX_SYSTEM}
  `,
    LINE_SHAPES,
  ),
};

/**
 * Returns the checked lines with defaults.
 * Throws 2022 for too many lines, 17008 for a discount above 100, 17007 for VAT above 100, 3002 and 3003 for too small numbers. Throws
 * 17018 for a fraction of a bundle, 3048 for wrong serial numbers, 17103 for a repeated marking code or serial number. `checkTrackingCodes`
 * throws the other errors of marking codes.
 */
export function settlePositions(draft: Values, writing: Writing): readonly Element[] {
  const lines = elementsIn(draft.positions);
  if (writing.given.has("positions") && lines.length > MAX_LINES) throw refused(2022);
  return within("positions", () => {
    const settled = withinEach(lines, ({ id, values }) => ({ id, values: settleLine(values, writing) }));
    refuseRepeats(settled, writing);
    return settled;
  });
}

/** Returns the sum and the VAT of a line in minor units (json-api D29), rounded half up unless the caller asked for precision. */
function lineSum({ values }: Element, vatOnTop: boolean, precise: boolean): { sum: number; vat: number } {
  const net = rounded(
    (numberIn(values.price) * numberIn(values.quantity) * (MAX_PERCENT - numberIn(values.discount))) / MAX_PERCENT,
    precise,
  );
  const rate = values.vatEnabled === true ? numberIn(values.vat) : 0;
  if (vatOnTop) {
    const vat = rounded((net * rate) / MAX_PERCENT, precise);
    return { sum: net + vat, vat };
  }
  return { sum: net, vat: rounded((net * rate) / (MAX_PERCENT + rate), precise) };
}

/**
 * Returns a document's `sum` and `vatSum`. VAT is added only if it applies and the prices do not include it. Throws 3008 for a sum above
 * the limit.
 */
export function totalsOf(lines: readonly Element[], draft: Values, precise: boolean): { sum: number; vatSum: number } {
  const counts = draft.vatEnabled !== false;
  const onTop = counts && draft.vatIncluded === false;
  const parts = lines.map((line) => lineSum(line, onTop, precise));
  const sum = added(parts.map((part) => part.sum));
  if (!(Math.abs(sum) <= MAX_NUMBER)) throw refused(3008, "sum");
  return { sum, vatSum: counts ? added(parts.map(({ vat }) => vat)) : 0 };
}

/** The tiny error of binary arithmetic must not decide whether half a kopeck is rounded up. */
const ARITHMETIC_NOISE = 1e-6;

function rounded(value: number, precise: boolean): number {
  return precise ? value : Math.floor(value + 0.5 + ARITHMETIC_NOISE);
}

function added(parts: readonly number[]): number {
  return parts.reduce((sum, part) => sum + part, 0);
}

function settleLine(values: Values, writing: Writing): Values {
  const line: Values = { quantity: 1, price: 0, discount: 0, vat: 0, vatEnabled: false, ...values };
  if (numberIn(line.discount) > MAX_PERCENT) throw refused(17008, "discount");
  if (numberIn(line.vat) > MAX_PERCENT) throw refused(17007, "vat");
  if (numberIn(line.price) < 0) throw refused(3002, "price");
  if (numberIn(line.vat) < 0) throw refused(3002, "vat");
  if (numberIn(line.quantity) <= 0) throw refused(3003, "quantity");
  if (referenceIn(line.assortment)?.type === "bundle" && !Number.isInteger(numberIn(line.quantity))) throw refused(17018, "quantity");
  const goods = goodsOf(line.assortment, writing);
  const marked = goods?.trackingType !== undefined && goods.trackingType !== "NOT_TRACKED";
  if (marked) checkTrackingCodes(line.trackingCodes);
  const stated = typeof values.quantity === "number" ? values.quantity : undefined;
  return withSerials(marked ? line : withoutCodes(line), stated, goods?.isSerialTrackable === true);
}

/**
 * Throws 17103 for a repeated marking code or serial number. Goods sold by measure may repeat their code in several lines, because the rest
 * of a pack has the same code.
 */
function refuseRepeats(lines: readonly Element[], writing: Writing): void {
  const seen = new Map<string, { measured: boolean; line: number }>();
  withinEach(lines, ({ values }, line) => {
    const measured = isMeasured(values.assortment, writing);
    for (const text of [...codesIn(values.trackingCodes), ...(Array.isArray(values.things) ? (values.things as string[]) : [])]) {
      const before = seen.get(text);
      if (before !== undefined && !(before.measured && measured && before.line !== line)) throw refused(17103, undefined, text);
      seen.set(text, { measured, line });
    }
  });
}

function codesIn(value: Value | undefined): string[] {
  if (!Array.isArray(value)) return [];
  return (value as Values[]).flatMap(({ cis, trackingCodes }) => [...(typeof cis === "string" ? [cis] : []), ...codesIn(trackingCodes)]);
}
