import { refused } from "../call/refusal.ts";
import { settlePositions, totalsOf } from "../types/documents/positions.ts";
import { RETAILDEMAND } from "../types/documents/retaildemand.ts";
import { numberIn } from "../values/number.ts";
import { type Stored, shapesIn, type Value } from "../values/stored.ts";
import { createObject, draftObject, writingOf } from "../writing/write.ts";
import type { QrOperation } from "./qr-operation.ts";
import { reference, requestOf, shiftFor, type TillDocumentParts } from "./till-document.ts";

/** What a till sells: the amount in kopecks and its lines as JSON text, hrefs without their origin. */
interface Basket {
  readonly amount: number;
  readonly positions: string;
}

/**
 * The basket that was asked for: lines as of a `retaildemand`, or an amount, or neither (one piece of a plain product). Throws a
 * `Refusal` for lines that no sale may have; an amount beside lines has to be their sum.
 */
export function basketOf(asked: { amount?: number; positions?: readonly unknown[] }, store: Stored, parts: TillDocumentParts): Basket {
  const request = requestOf(store, parts);
  const positions = asked.positions ?? [lineOf(asked.amount, parts)];
  const sent = { positions };
  const draft = draftObject(RETAILDEMAND, sent, request);
  const { sum } = totalsOf(settlePositions(draft, writingOf(sent, request)), draft, false);
  if (asked.amount !== undefined && asked.amount !== sum) throw refused(18000);
  return { amount: sum, positions: JSON.stringify(positions, (name, value: unknown) => withoutOrigin(name, value, parts)) };
}

/**
 * Makes the document of a payment that is done, in the open shift of the point of sale; a shift is opened where there is none. Throws a
 * `Refusal`; must run inside of a commit. Returns the id of the sale.
 */
export function makeQrSale({ retailStoreId, amount, positions }: QrOperation, parts: TillDocumentParts): string {
  const store = parts.account.objects.get("retailstore", retailStoreId);
  if (store === undefined) throw refused(1021, undefined, retailStoreId);
  const request = requestOf(store, parts);
  const sale = {
    retailShift: reference(shiftFor(store, request), request),
    positions: JSON.parse(positions, (name, value: unknown) => withOrigin(name, value, parts)) as unknown,
    ...{ qrSum: amount, cashSum: 0, noCashSum: 0 },
  };
  return createObject(RETAILDEMAND, sale, request).id;
}

/** One piece of a product whose price is the amount, else of the first plain one at that price; without an amount at its own price. */
function lineOf(amount: number | undefined, parts: TillDocumentParts): object {
  const { account, base } = parts;
  let chosen: Stored | undefined;
  for (const product of account.objects.all("product").values()) {
    if (!isPlain(product)) continue;
    chosen ??= product;
    if (amount === undefined || priceOf(product) === amount) {
      chosen = product;
      break;
    }
  }
  if (chosen === undefined) throw refused(3000, "positions");
  const { vat, vatEnabled } = chosen.values;
  const meta = { href: `${base()}/api/remap/1.2/entity/product/${chosen.id}`, type: "product" };
  return { assortment: { meta }, quantity: 1, price: amount ?? priceOf(chosen), vat: vat ?? 0, vatEnabled: vatEnabled === true };
}

/** Sold by the piece, without marks and serial numbers. */
function isPlain({ values }: Stored): boolean {
  const { trackingType = "NOT_TRACKED", archived, weighed, onTap, isSerialTrackable } = values;
  const isCounted = weighed !== true && onTap !== true && isSerialTrackable !== true;
  return isCounted && trackingType === "NOT_TRACKED" && archived !== true;
}

function priceOf({ values }: Stored): number {
  const value: Value | undefined = shapesIn(values.salePrices)[0]?.value;
  return numberIn(value);
}

/** The sandbox may have another address at its next start, and lines lead to its own goods. */
function withoutOrigin(name: string, value: unknown, { base }: TillDocumentParts): unknown {
  return name === "href" && typeof value === "string" && value.startsWith(`${base()}/`) ? value.slice(base().length) : value;
}

function withOrigin(name: string, value: unknown, { base }: TillDocumentParts): unknown {
  return name === "href" && typeof value === "string" && value.startsWith("/") ? base() + value : value;
}
