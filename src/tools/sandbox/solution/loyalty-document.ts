import { present } from "../../../kernel/present.ts";
import { refused } from "../call/refusal.ts";
import type { LoyaltyCustomer, LoyaltyLine, SoldLoyaltyLine } from "../caller/loyalty/bodies.ts";
import { RETAILDEMAND } from "../types/documents/retaildemand.ts";
import { RETAILSALESRETURN } from "../types/documents/retailsalesreturn.ts";
import { COUNTERPARTY } from "../types/parties/counterparty.ts";
import { referenceIn, type Stored, type Values } from "../values/stored.ts";
import { createObject, type WriteRequest } from "../writing/write.ts";
import type { LoyaltyPay } from "./loyalty-record.ts";
import { reference, requestOf, shiftFor, type TillDocumentParts } from "./till-document.ts";

/** The types of goods, in search order. */
const GOODS = ["product", "service", "variant", "bundle"] as const;
const SUM_OF: Readonly<Record<LoyaltyPay, "cashSum" | "noCashSum" | "qrSum">> = { cash: "cashSum", card: "noCashSum", qr: "qrSum" };

function goodsOfLine({ assortmentId }: Pick<LoyaltyLine, "assortmentId">, { account }: TillDocumentParts): Stored | undefined {
  for (const type of GOODS) {
    const found = account.objects.get(type, assortmentId);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Stores a new buyer of the programme. Throws a `Refusal`. Must run inside a commit. */
export function storeCustomer(customer: LoyaltyCustomer, store: Stored, parts: TillDocumentParts): Stored {
  const { syncId, name, phone, email, discountCardNumber } = customer;
  return createObject(COUNTERPARTY, { name, ...present({ syncId, phone, email, discountCardNumber }) }, requestOf(store, parts));
}

/**
 * Returns the positions of the document. Each has the programme's discounted price and no discount, so the receipt has exactly these
 * prices: a percentage with two decimals cannot express every price.
 */
export function documentLines(lines: readonly SoldLoyaltyLine[], store: Stored, parts: TillDocumentParts): object[] {
  const request = requestOf(store, parts);
  return lines.map((line) => {
    const goods = goodsOfLine(line, parts);
    if (goods === undefined) throw refused(1021, undefined, line.assortmentId);
    const { vat, vatEnabled, isSerialTrackable } = vatHolder(goods, parts);
    return {
      assortment: reference(goods, request),
      quantity: line.quantityThousandths / 1000,
      price: line.discountedKopecks,
      discount: 0,
      vat: vat ?? 0,
      vatEnabled: vatEnabled === true,
      ...(isSerialTrackable === true && line.serials !== undefined ? { things: line.serials } : {}),
    };
  });
}

interface SaleParts {
  readonly store: Stored;
  readonly lines: readonly SoldLoyaltyLine[];
  readonly customer: LoyaltyCustomer | undefined;
  readonly pay: LoyaltyPay;
}

/** Makes the sale in the open shift, and opens a shift if needed. Throws a `Refusal`. Must run inside a commit. */
export function makeSale({ store, lines, customer, pay }: SaleParts, parts: TillDocumentParts): Stored {
  const request = requestOf(store, parts);
  const sale = {
    retailShift: reference(shiftFor(store, request), request),
    positions: documentLines(lines, store, parts),
    ...agentIn(customer, request),
  };
  return createObject(RETAILDEMAND, { ...sale, ...paid(pay, lines) }, request);
}

/** Makes a return of these lines. Throws a `Refusal`. Must run inside a commit. */
export function makeReturn(demand: Stored, { store, lines, pay }: Omit<SaleParts, "customer">, parts: TillDocumentParts): Stored {
  const request = requestOf(store, parts);
  const { values } = demand;
  const ofSale = ["agent", "organization", "retailStore", "store"].flatMap((name) => {
    const pointed = referenceIn(values[name]);
    return pointed === undefined ? [] : [[name, reference(pointed, request)]];
  });
  const back = {
    ...Object.fromEntries(ofSale),
    retailShift: reference(shiftFor(store, request), request),
    demand: reference(demand, request),
    positions: documentLines(lines, store, parts),
  };
  return createObject(RETAILSALESRETURN, { ...back, ...paid(pay, lines) }, request);
}

/** Returns the sum of the lines. Each line is rounded half up, like in the document. */
export function sumOf(lines: readonly SoldLoyaltyLine[]): number {
  return lines.reduce((sum, line) => sum + Math.floor((line.discountedKopecks * line.quantityThousandths + 500) / 1000), 0);
}

function paid(pay: LoyaltyPay, lines: readonly SoldLoyaltyLine[]): object {
  return { cashSum: 0, noCashSum: 0, qrSum: 0, [SUM_OF[pay]]: sumOf(lines) };
}

/** Returns the agent, if the account has the customer. A document without agent gets the retail buyer. */
function agentIn(customer: LoyaltyCustomer | undefined, request: WriteRequest): object {
  const id = customer?.id;
  const isThere = id !== undefined && request.reading.account.objects.get("counterparty", id) !== undefined;
  return isThere ? { agent: reference({ type: "counterparty", id }, request) } : {};
}

/** Returns the fields for VAT and serial numbers. A variant uses the fields of its product. */
function vatHolder(goods: Stored, { account }: TillDocumentParts): Values {
  return account.objects.pointedBy(goods.values.product)?.values ?? goods.values;
}
