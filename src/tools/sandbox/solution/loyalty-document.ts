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

/** Types of goods, in the order in which an id is looked for. */
const GOODS = ["product", "service", "variant", "bundle"] as const;
const SUM_OF: Readonly<Record<LoyaltyPay, "cashSum" | "noCashSum" | "qrSum">> = { cash: "cashSum", card: "noCashSum", qr: "qrSum" };

/** The goods that a position names. Undefined: the account has none of this id. */
function goodsOfLine({ assortmentId }: Pick<LoyaltyLine, "assortmentId">, { account }: TillDocumentParts): Stored | undefined {
  for (const type of GOODS) {
    const found = account.objects.get(type, assortmentId);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Stores a buyer who has joined. Throws a `Refusal`; must run inside of a commit. */
export function storeCustomer(customer: LoyaltyCustomer, store: Stored, parts: TillDocumentParts): Stored {
  const { syncId, name, phone, email, discountCardNumber } = customer;
  return createObject(COUNTERPARTY, { name, ...present({ syncId, phone, email, discountCardNumber }) }, requestOf(store, parts));
}

/**
 * The lines of the document: each at the price that the programme left, without a further discount, so that the receipt has these lines
 * to the kopeck. A percentage with two decimals could not say every price.
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

/** Makes the sale, in the open shift; a shift is opened where there is none. Throws a `Refusal`; must run inside of a commit. */
export function makeSale({ store, lines, customer, pay }: SaleParts, parts: TillDocumentParts): Stored {
  const request = requestOf(store, parts);
  const sale = {
    retailShift: reference(shiftFor(store, request), request),
    positions: documentLines(lines, store, parts),
    ...agentIn(customer, request),
  };
  return createObject(RETAILDEMAND, { ...sale, ...paid(pay, lines) }, request);
}

/** Makes the return of these lines of a sale. Throws a `Refusal`; must run inside of a commit. */
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

/** What the lines cost: each is rounded once, half up, as the document does. */
export function sumOf(lines: readonly SoldLoyaltyLine[]): number {
  return lines.reduce((sum, line) => sum + Math.floor((line.discountedKopecks * line.quantityThousandths + 500) / 1000), 0);
}

function paid(pay: LoyaltyPay, lines: readonly SoldLoyaltyLine[]): object {
  return { cashSum: 0, noCashSum: 0, qrSum: 0, [SUM_OF[pay]]: sumOf(lines) };
}

/** A buyer whom the account does not have is the retail buyer in the document. */
function agentIn(customer: LoyaltyCustomer | undefined, request: WriteRequest): object {
  const id = customer?.id;
  const isThere = id !== undefined && request.reading.account.objects.get("counterparty", id) !== undefined;
  return isThere ? { agent: reference({ type: "counterparty", id }, request) } : {};
}

/** VAT and serial accounting of a variant are its product's. */
function vatHolder(goods: Stored, { account }: TillDocumentParts): Values {
  return account.objects.pointedBy(goods.values.product)?.values ?? goods.values;
}
