import { refused } from "../call/refusal.ts";
import { settlePositions, totalsOf } from "../types/documents/positions.ts";
import { RETAILDEMAND } from "../types/documents/retaildemand.ts";
import { numberIn } from "../values/number.ts";
import { type Stored, shapesIn, type Value } from "../values/stored.ts";
import { createObject, draftObject, writingOf } from "../writing/write.ts";
import type { QrOperation } from "./qr-operation.ts";
import { reference, requestOf, shiftFor, type TillDocumentParts } from "./till-document.ts";

/** A till's goods. `amount` is in kopecks. `positions` is JSON, with hrefs without origin. */
interface Basket {
  readonly amount: number;
  readonly positions: string;
}

/**
 * Returns the requested basket: the given `retaildemand` lines, or one piece of a plain product at the given amount or its own price.
 * Throws a `Refusal` for invalid lines, or if the amount is not the sum of the lines.
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
 * Makes the document of a paid operation in the open shift, opens a shift if needed, and returns the sale's id. Throws a `Refusal`. Must
 * run inside a commit.
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

/**
 * Returns one piece of a plain product at the given amount, preferably of a product with this price. Without an amount: one piece of the
 * first plain product at its own price.
 */
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

/** Whether the product is not archived, and is sold by the piece, without marking codes and serial numbers. */
function isPlain({ values }: Stored): boolean {
  const { trackingType = "NOT_TRACKED", archived, weighed, onTap, isSerialTrackable } = values;
  const isCounted = weighed !== true && onTap !== true && isSerialTrackable !== true;
  return isCounted && trackingType === "NOT_TRACKED" && archived !== true;
}

function priceOf({ values }: Stored): number {
  const value: Value | undefined = shapesIn(values.salePrices)[0]?.value;
  return numberIn(value);
}

/** Hrefs of the sandbox are stored without origin, because the next start may have another address. */
function withoutOrigin(name: string, value: unknown, { base }: TillDocumentParts): unknown {
  return name === "href" && typeof value === "string" && value.startsWith(`${base()}/`) ? value.slice(base().length) : value;
}

function withOrigin(name: string, value: unknown, { base }: TillDocumentParts): unknown {
  return name === "href" && typeof value === "string" && value.startsWith("/") ? base() + value : value;
}
