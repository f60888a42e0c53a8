import { parseDecimal } from "../../kernel/decimal.ts";
import { kopecksFromKopecks, kopecksFromRoubles } from "../../kernel/money.ts";
import { quantityMillionths } from "../../kernel/quantity.ts";
import type { Cashier } from "../../model/cashier.ts";
import type { Operation, Payments, SoldPosition } from "../../model/operation.ts";
import type { Refusal } from "../../model/refusal.ts";
import { contentHashOf, twinOf } from "./content.ts";
import type { FieldProblem } from "./fields.ts";
import type { CashBody, CloseShiftBody, OpenShiftBody, PaymentsBody, PositionBody, SaleBody, SalesReturnBody } from "./schema.ts";

/** The unit of the request's amounts, as the number of units in a rouble: 1 for roubles with decimals, 100 for kopecks. */
type Scale = 1 | 100;

export interface Scales {
  /** FISCAL_MONEY_SCALE: prices and payments. */
  money: Scale;
  /** FISCAL_CASH_SCALE: the `sum` of cash in and cash out. */
  cash: Scale;
}

export type Translated =
  | { kind: "operation"; operation: Operation; contentHash: string; twinHash: string }
  | { kind: "refused"; refusal: Refusal };

export function translateOpenShift(body: OpenShiftBody): Translated {
  return translated(body, { kind: "open-shift", document: body.retailShift, ...headOf(body, body.openMoment) }, null, {});
}

export function translateCloseShift(body: CloseShiftBody): Translated {
  return translated(body, { kind: "close-shift", document: body.retailShift, ...headOf(body, body.closeMoment) }, null, {});
}

export function translateCash(kind: "cash-in" | "cash-out", body: CashBody, scales: Scales): Translated {
  const found: Found = {};
  const sumKopecks = kopecksOf(body.sum, cashUnit(scales), "sum", found);
  return translated(body, { kind, document: body.meta, ...headOf(body, body.moment), sumKopecks }, body.sum, found);
}

export function translateSale(body: SaleBody, scales: Scales): Translated {
  const found: Found = {};
  return translated(body, { kind: "sale", ...tradeOf(body, scales, found) }, body.payments, found);
}

export function translateSalesReturn(body: SalesReturnBody, scales: Scales): Translated {
  const found: Found = {};
  const original = withoutAbsent({ original: body.demand });
  return translated(body, { kind: "sales-return", ...tradeOf(body, scales, found), ...original }, body.payments, found);
}

/** The first wrong value. Reading goes on with 0, and the whole request is refused at the end. */
interface Found {
  problem?: Refusal;
}

function translated(body: object, operation: Operation, totals: unknown, found: Found): Translated {
  if (found.problem !== undefined) return { kind: "refused", refusal: found.problem };
  const { storeId, name, moment } = operation;
  return { kind: "operation", operation, contentHash: contentHashOf(body), twinHash: twinOf({ storeId, name, moment, totals }) };
}

type Head = Pick<OpenShiftBody, "retailShift" | "name" | "cashier" | "store">;

function headOf(body: Head, moment: string) {
  const cashier: { cashier?: Cashier } = body.cashier === undefined ? {} : { cashier: withoutAbsent(body.cashier) };
  return { shift: body.retailShift, storeId: body.store.id, name: body.name, moment, ...cashier };
}

function tradeOf(body: SaleBody, scales: Scales, found: Found) {
  return {
    document: body.meta,
    ...headOf(body, body.moment),
    positions: body.positions.map((position, index) => positionOf(position, moneyUnit(scales), `positions[${index}]`, found)),
    payments: paymentsOf(body.payments, moneyUnit(scales), found),
    ...withoutAbsent({ phone: body.phone, email: body.email }),
    vatEnabled: body.vatEnabled ?? true,
    vatIncluded: body.vatIncluded ?? true,
  };
}

function positionOf(position: PositionBody, unit: Unit, path: string, found: Found): SoldPosition {
  const { assortment, uom, vat } = position;
  const hasUnit = uom?.name !== undefined || uom?.code !== undefined;
  return {
    assortment: { name: assortment.name, ...withoutAbsent({ id: assortment.meta?.id, type: assortment.meta?.type }) },
    ...(hasUnit ? { unit: { name: uom?.name ?? "", ...withoutAbsent({ code: uom?.code }) } } : {}),
    quantityMillionths: millionthsOf(position.quantity, `${path}.quantity`, found),
    priceKopecks: kopecksOf(position.price, unit, `${path}.price`, found),
    discountPercent: position.discount,
    ...withoutAbsent({ vatPercent: vat }),
    vatEnabled: position.vatEnabled ?? vat !== undefined,
    marks: position.marks,
    ...withoutAbsent({ pack: packOf(position.pack) }),
  };
}

/** An incomplete or unreadable pack is left out, because packing changes no amount (platform-contracts 4.5). */
function packOf(pack: PositionBody["pack"]): SoldPosition["pack"] {
  const quantity = pack?.quantity === undefined ? undefined : parseDecimal(pack.quantity);
  const millionths = quantity === undefined ? undefined : quantityMillionths(quantity);
  return pack?.name === undefined || millionths === undefined ? undefined : { name: pack.name, quantityMillionths: millionths };
}

function paymentsOf(payments: PaymentsBody, unit: Unit, found: Found): Payments {
  const kopecks = (name: keyof PaymentsBody) => kopecksOf(payments[name], unit, `payments.${name}`, found);
  return {
    cashKopecks: kopecks("cashSum"),
    cardKopecks: kopecks("cardSum"),
    qrKopecks: kopecks("qrSum"),
    prepaymentCashKopecks: kopecks("prepaymentCashSum"),
    prepaymentCardKopecks: kopecks("prepaymentCardSum"),
    prepaymentQrKopecks: kopecks("prepaymentQrSum"),
    advanceKopecks: kopecks("advanceSum"),
  };
}

/** The unit of amounts, and the environment variable that sets it. */
interface Unit {
  scale: Scale;
  variable: "FISCAL_MONEY_SCALE" | "FISCAL_CASH_SCALE";
}

function moneyUnit({ money }: Scales): Unit {
  return { scale: money, variable: "FISCAL_MONEY_SCALE" };
}

function cashUnit({ cash }: Scales): Unit {
  return { scale: cash, variable: "FISCAL_CASH_SCALE" };
}

function kopecksOf(text: string, { scale, variable }: Unit, field: string, found: Found): number {
  const amount = parseDecimal(text);
  if (amount === undefined) return wrong(found, field, "number");
  const kopecks = scale === 1 ? kopecksFromRoubles(amount) : kopecksFromKopecks(amount);
  if (kopecks !== undefined) return kopecks;
  return amount.decimals > (scale === 1 ? 2 : 0) ? finerThanUnit(found, field, variable) : wrong(found, field, "range");
}

/**
 * Refuses an amount with a fraction of a kopeck: either the amounts have another unit than the variable states, or the document is wrong.
 * `parameter` names the variable, so that the operator of the server checks its value (interface 6, Money unit). The words for the cashier
 * name the field.
 */
function finerThanUnit(found: Found, field: string, variable: Unit["variable"]): 0 {
  found.problem ??= { code: "field-invalid", parameter: variable, details: { problem: "kopeck-fraction" satisfies FieldProblem, field } };
  return 0;
}

function millionthsOf(text: string, parameter: string, found: Found): number {
  const quantity = parseDecimal(text);
  if (quantity === undefined) return wrong(found, parameter, "number");
  return quantityMillionths(quantity) ?? wrong(found, parameter, quantity.decimals > QUANTITY_DECIMALS ? "decimals" : "range");
}

function wrong(found: Found, parameter: string, problem: FieldProblem): 0 {
  found.problem ??= { code: "field-invalid", parameter, details: { problem } };
  return 0;
}

function withoutAbsent<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** The maximum number of decimals of a quantity (interface 6, Quantity). */
const QUANTITY_DECIMALS = 6;
