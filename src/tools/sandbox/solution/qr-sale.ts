import type { Account } from "../account/account.ts";
import type { Call } from "../call/call.ts";
import { refused } from "../call/refusal.ts";
import type { SandboxSettings } from "../settings.ts";
import { CATALOGUE } from "../types/catalogue.ts";
import { settlePositions, totalsOf } from "../types/documents/positions.ts";
import { RETAILDEMAND } from "../types/documents/retaildemand.ts";
import { RETAILSHIFT } from "../types/documents/retailshift.ts";
import { numberIn } from "../values/number.ts";
import { elementsIn, type Reference, referenceIn, type Stored, shapesIn, type Value } from "../values/stored.ts";
import { createObject, draftObject, type WriteRequest, writingOf } from "../writing/write.ts";
import type { QrOperation } from "./qr-operation.ts";

/** What the documents of QR sales are made with. */
export interface QrSaleParts {
  readonly account: Account;
  /** Origin of hrefs. */
  readonly base: () => string;
  readonly settings: SandboxSettings;
}

/** What a till sells: the amount in kopecks and its lines as JSON text, hrefs without their origin. */
interface Basket {
  readonly amount: number;
  readonly positions: string;
}

/**
 * The basket that was asked for: lines as of a `retaildemand`, or an amount, or neither (one piece of a plain product). Throws a
 * `Refusal` for lines that no sale may have; an amount beside lines has to be their sum.
 */
export function basketOf(asked: { amount?: number; positions?: readonly unknown[] }, store: Stored, parts: QrSaleParts): Basket {
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
export function makeQrSale({ retailStoreId, amount, positions }: QrOperation, parts: QrSaleParts): string {
  const store = parts.account.objects.get("retailstore", retailStoreId);
  if (store === undefined) throw refused(1021, undefined, retailStoreId);
  const request = requestOf(store, parts);
  const shift = openShiftOf(store, parts.account) ?? openedShift(store, request);
  const sale = {
    retailShift: reference(shift, request),
    positions: JSON.parse(positions, (name, value: unknown) => withOrigin(name, value, parts)) as unknown,
    ...{ qrSum: amount, cashSum: 0, noCashSum: 0 },
  };
  return createObject(RETAILDEMAND, sale, request).id;
}

/** The request by which a till writes its document: the cashier of the point of sale makes it, and every webhook is told. */
export function callOfTill(store: Stored | undefined, { account, base, settings }: QrSaleParts): Call {
  const employee = cashierOf(store, account);
  const login = account.objects.pointedBy({ ...employee })?.values.uid;
  return {
    version: "1.2",
    base: base(),
    localBase: base(),
    api: `${base()}/api/remap/1.2`,
    caller: { kind: "user", employee, login: typeof login === "string" ? login : "", administrator: true },
    query: new URLSearchParams(),
    language: "ru",
    milliseconds: false,
    precise: false,
    mutedWebhooks: [],
    settings,
  };
}

function requestOf(store: Stored, parts: QrSaleParts): WriteRequest {
  const { account } = parts;
  return { reading: { account, catalogue: CATALOGUE, call: callOfTill(store, parts) }, nowMs: account.clock.nowMs() };
}

/** The first cashier of the point of sale; where it has none, the first employee. */
function cashierOf(store: Stored | undefined, account: Account): Reference {
  const [cashier] = elementsIn(store?.values.cashiers);
  const [someone] = account.objects.all("employee").values();
  return referenceIn(cashier?.values.employee) ?? { type: "employee", id: someone?.id ?? "" };
}

/** The newest, if there are several (D25). */
function openShiftOf(store: Stored, account: Account): Stored | undefined {
  return [...account.objects.all("retailshift").values()].findLast(
    ({ values }) => referenceIn(values.retailStore)?.id === store.id && values.closeDate === undefined && values.deleted === undefined,
  );
}

function openedShift(store: Stored, request: WriteRequest): Stored {
  const organization = referenceIn(store.values.organization);
  if (organization === undefined) throw refused(3000, "organization");
  return createObject(RETAILSHIFT, { retailStore: reference(store, request), organization: reference(organization, request) }, request);
}

/** One piece of a product whose price is the amount, else of the first plain one at that price; without an amount at its own price. */
function lineOf(amount: number | undefined, parts: QrSaleParts): object {
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

function reference({ type, id }: Reference, { reading }: WriteRequest): object {
  return { meta: { href: `${reading.call.api}/entity/${type}/${id}`, type } };
}

/** The sandbox may have another address at its next start, and lines lead to its own goods. */
function withoutOrigin(name: string, value: unknown, { base }: QrSaleParts): unknown {
  return name === "href" && typeof value === "string" && value.startsWith(`${base()}/`) ? value.slice(base().length) : value;
}

function withOrigin(name: string, value: unknown, { base }: QrSaleParts): unknown {
  return name === "href" && typeof value === "string" && value.startsWith("/") ? base() + value : value;
}
