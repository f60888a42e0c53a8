import type { Account } from "../account/account.ts";
import type { FiscalOperation } from "../caller/fiscal-operation.ts";
import { datetimeText } from "../values/datetime.ts";
import { type Element, elementsIn, type Reference, referenceIn, type Stored, type Value, type Values } from "../values/stored.ts";

/** What a body needs besides the document. `moneyScale` is the unit of prices and payments: roubles (1) or kopecks (100). */
interface TillBodyParts {
  readonly account: Account;
  /** `{base}/api/remap/1.2`. */
  readonly api: string;
  readonly moneyScale: 1 | 100;
}

/** Returns the body of a till's fiscal request (platform-contracts 4.4). */
export function tillBody(operation: FiscalOperation, document: Stored, parts: TillBodyParts): object {
  switch (operation) {
    case "openshift":
    case "closeshift":
      return shiftBody(operation, document, parts);
    case "retaildemand":
      return { ...head(document, parts), ...cashierOf(document, parts), ...trade(document, parts), ...contactOf(document, parts) };
    case "retaisalesreturn": {
      const demand = referenceIn(document.values.demand);
      return { ...head(document, parts), ...(demand === undefined ? {} : { demand: pointer(demand, parts) }), ...trade(document, parts) };
    }
    case "retaildrawercashin":
    case "retaildrawercashout":
      // This sum is always in kopecks, unlike other amounts (platform-contracts 4.5).
      return { ...head(document, parts), ...cashierOf(document, parts), sum: String(document.values.sum) };
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  retailshift: "RetailShift",
  retailstore: "RetailStore",
  retaildemand: "RetailDemand",
  retailsalesreturn: "RetailSalesReturn",
  retaildrawercashin: "RetailDrawerCashIn",
  retaildrawercashout: "RetailDrawerCashOut",
  employee: "Employee",
  product: "Product",
  service: "Service",
  variant: "Variant",
  bundle: "Bundle",
};

function shiftBody(operation: "openshift" | "closeshift", shift: Stored, parts: TillBodyParts): object {
  const opening = operation === "openshift";
  const moment = opening ? shift.values.moment : shift.values.closeDate;
  return {
    retailShift: pointer(shift, parts),
    name: shift.values.name,
    ...storeOf(shift, parts),
    ...cashierOf(shift, parts),
    [opening ? "openMoment" : "closeMoment"]: datetimeText(Number(moment)),
  };
}

function head(document: Stored, parts: TillBodyParts): object {
  const shift = referenceIn(document.values.retailShift);
  return {
    ...pointer(document, parts),
    name: document.values.name,
    ...storeOf(document, parts),
    ...(shift === undefined ? {} : { retailShift: pointer(shift, parts) }),
    moment: datetimeText(Number(document.values.moment)),
  };
}

function storeOf(document: Stored, parts: TillBodyParts): object {
  const store = pointOfSaleOf(document, parts.account);
  return store === undefined ? {} : { retailstore: pointer(store, parts) };
}

/** Returns the point of sale of a document or shift. A drawer operation uses the point of sale of its shift. */
export function pointOfSaleOf({ values }: Stored, account: Account): Reference | undefined {
  const own = referenceIn(values.retailStore);
  return own ?? referenceIn(account.objects.pointedBy(values.retailShift)?.values.retailStore);
}

function cashierOf({ values }: Stored, parts: TillBodyParts): object {
  const employee = parts.account.objects.pointedBy(values.owner);
  if (employee === undefined) return {};
  const { lastName, firstName, middleName } = employee.values;
  return { cashier: { ...pointer(employee, parts), lastName, firstName, middleName } };
}

function contactOf({ values }: Stored, { account }: TillBodyParts): object {
  const { phone, email } = account.objects.pointedBy(values.agent)?.values ?? {};
  return { ...(typeof phone === "string" ? { phone } : {}), ...(typeof email === "string" ? { email } : {}) };
}

/** The fiscal contract's name for each sum of a document. */
const PAYMENTS = {
  cashSum: "cashSum",
  noCashSum: "cardSum",
  qrSum: "qrSum",
  prepaymentCashSum: "prepaymentCashSum",
  prepaymentNoCashSum: "prepaymentCardSum",
  prepaymentQrSum: "prepaymentQrSum",
  advancePaymentSum: "advanceSum",
} as const;

function trade({ values }: Stored, parts: TillBodyParts): object {
  const payments = Object.entries(PAYMENTS)
    .filter(([field, name]) => Number(values[field] ?? 0) !== 0 || name === "cashSum" || name === "cardSum")
    .map(([field, name]) => [name, money(Number(values[field] ?? 0), parts)]);
  return {
    payments: Object.fromEntries(payments),
    positions: elementsIn(values.positions).map((line) => position(line, parts)),
    vatEnabled: values.vatEnabled !== false,
    vatIncluded: values.vatIncluded !== false,
  };
}

function position({ values }: Element, parts: TillBodyParts): object {
  const reference = referenceIn(values.assortment) ?? { type: "product", id: "" };
  const goods = parts.account.objects.get(reference.type, reference.id)?.values ?? {};
  return {
    assortment: { ...pointer(reference, parts), name: goods.name },
    ...unitOf(goods, parts),
    quantity: values.quantity,
    price: money(Number(values.price), parts),
    discount: String(values.discount),
    pack: packOf(values.pack, parts),
    vat: values.vat,
    vatEnabled: values.vatEnabled,
    marks: codesIn(values.trackingCodes),
  };
}

/** Returns the goods' unit. A variant has its product's unit. */
function unitOf(goods: Values, { account }: TillBodyParts): object {
  const holder = account.objects.pointedBy(goods.product)?.values ?? goods;
  const { name, code } = account.objects.pointedBy(holder.uom)?.values ?? {};
  return name === undefined ? {} : { uom: { name, code } };
}

function packOf(pack: Value | undefined, { account }: TillBodyParts): object | null {
  const { uom, quantity } = (pack ?? {}) as Values;
  const unit = referenceIn(uom);
  if (unit === undefined) return null;
  return { name: account.objects.get(unit.type, unit.id)?.values.name, quantity };
}

/** Returns the marking codes of single pieces. A pack becomes the codes in it. A pack without codes in it is left out. */
function codesIn(codes: Value | undefined): string[] {
  if (!Array.isArray(codes)) return [];
  return (codes as Values[]).flatMap(({ cis, type, trackingCodes }) => {
    const inner = codesIn(trackingCodes);
    if (inner.length > 0) return inner;
    return typeof cis === "string" && (type === undefined || type === "trackingcode") ? [cis] : [];
  });
}

/** Returns kopecks in the contract's form: roubles with a decimal point, or kopecks, by `moneyScale`. */
function money(minor: number, { moneyScale }: TillBodyParts): string {
  if (moneyScale === 100) return String(minor);
  return Number.isInteger(minor) ? (minor / 100).toFixed(2) : String(minor / 100);
}

/** Returns a reference with the contract's four members. */
function pointer({ type, id }: Reference, { api }: TillBodyParts): object {
  return { meta: { href: `${api}/entity/${type}/${id}`, id, type: TYPE_NAMES[type] ?? type, idType: "native" } };
}
