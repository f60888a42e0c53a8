import { present } from "../../../../kernel/present.ts";
import { type FixedDecimal, quantityNumber, roubleNumber } from "./json.ts";

/** A till's point of sale. `api` is the URL of the JSON API, for hrefs. */
export interface LoyaltyPlace {
  readonly api: string;
  readonly storeId: string;
}

/** A buyer in the till's data. The till makes `syncId`. The platform makes `id` when it stores the buyer. */
export interface LoyaltyCustomer {
  readonly id?: string;
  readonly syncId?: string;
  readonly name: string;
  readonly phone?: string;
  readonly email?: string;
  readonly discountCardNumber?: string;
  readonly legalFirstName?: string;
  readonly legalMiddleName?: string;
  readonly legalLastName?: string;
  readonly birthDate?: string;
  readonly sex?: string;
}

/** A position without discounts. */
export interface LoyaltyLine {
  readonly assortmentId: string;
  /** Type of the goods. Absent: `product`. */
  readonly type?: string;
  readonly quantityThousandths: number;
  readonly priceKopecks: number;
  readonly serials?: readonly string[];
}

/** A sold position with its price after discounts and points. */
export interface SoldLoyaltyLine extends LoyaltyLine {
  readonly discountedKopecks: number;
  readonly percentHundredths: number;
}

/** The common part of sales and returns. */
interface LoyaltyOrder {
  readonly id: string;
  readonly name: string;
  /** `YYYY-MM-DD HH:MM:SS` in the shop's local time. */
  readonly moment: string;
  readonly agent?: object;
  readonly lines: readonly SoldLoyaltyLine[];
  readonly cashKopecks: number;
  readonly noCashKopecks: number;
}

export function createBody(place: LoyaltyPlace, customer: LoyaltyCustomer, statusCheck: "CHECKED" | "UNCHECKED" | "IGNORE"): object {
  return { ...customerFields(place, customer), retailStore: storeOf(place), statusCheck };
}

export function detailBody(place: LoyaltyPlace, customer: LoyaltyCustomer): object {
  return { ...customerFields(place, customer), retailStore: storeOf(place) };
}

/** Returns the body of `/counterparty/verify`. The customer does not exist yet, so `meta` has only an href (platform-contracts 6.6). */
export function customerCodeBody(place: LoyaltyPlace, { id: _id, syncId = "", ...personal }: LoyaltyCustomer): object {
  return { meta: { href: `${place.api}/entity/counterparty/syncid/${syncId}` }, ...personal, retailStore: storeOf(place) };
}

/** Returns the body of `/retaildemand/verify`, with the customer's sync id. A customer without a sync id is named by the `id`. */
export function saleCodeBody(place: LoyaltyPlace, { id, syncId, phone }: Pick<LoyaltyCustomer, "id" | "syncId" | "phone">): object {
  return { retailStore: storeOf(place), counterpartyId: syncId ?? id, ...present({ phone }) };
}

/** Returns the buyer as the `agent` of a sale. */
export function agentOf(place: LoyaltyPlace, customer: LoyaltyCustomer): object {
  return customerFields(place, customer);
}

/** Returns the body of `recalc`. For SPENDING without `wantedPoints`, the programme spends as many points as possible. */
export function recalcBody(
  place: LoyaltyPlace,
  asked: { agent?: object; lines: readonly LoyaltyLine[]; transactionType?: "EARNING" | "SPENDING"; wantedPoints?: number },
): object {
  const { agent, lines, transactionType, wantedPoints } = asked;
  return {
    retailStore: storeOf(place),
    ...present({ agent }),
    positions: lines.map((line) => position(place, line)),
    ...(transactionType === undefined ? {} : { bonusProgram: { transactionType } }),
    ...present({ preferredBonusToSpend: wantedPoints }),
  };
}

/** Returns the body of a sale. Without `bonus` it has no points. */
export function saleBody(place: LoyaltyPlace, order: LoyaltyOrder & { bonus?: { spend: number; earn: number } }): object {
  const { bonus } = order;
  return {
    ...orderHead(place, order, "retaildemand"),
    ...(bonus === undefined ? {} : { bonusProgram: { bonusValueToSpend: bonus.spend, bonusValueToEarn: bonus.earn } }),
    noCashSum: roubleNumber(order.noCashKopecks),
  };
}

/** Returns the body of a return. Only its `noCashSum` is in kopecks (platform-contracts 6.5). */
export function returnBody(place: LoyaltyPlace, order: LoyaltyOrder & { demandId?: string }): object {
  const { demandId } = order;
  return {
    ...orderHead(place, order, "retailsalesreturn"),
    ...(demandId === undefined ? {} : { demand: { meta: metaOf(place, "retaildemand", demandId) } }),
    noCashSum: order.noCashKopecks,
  };
}

export function searchQuery({ storeId }: LoyaltyPlace, search: string): object {
  return { search, retailStoreId: storeId };
}

export function giftCardQuery({ storeId }: LoyaltyPlace, name: string): object {
  return { name, retailStoreId: storeId };
}

function customerFields(place: LoyaltyPlace, customer: LoyaltyCustomer): object {
  const { id, syncId, ...personal } = customer;
  const own = id ?? syncId ?? "";
  const path = id === undefined ? `counterparty/syncid/${own}` : `counterparty/${own}`;
  const meta = { href: `${place.api}/entity/${path}`, id: own, idType: id === undefined ? "sync" : "native" };
  return { meta, ...present({ syncId }), ...personal };
}

function orderHead(place: LoyaltyPlace, order: LoyaltyOrder, type: string): object {
  const { id, name, moment, agent, lines, cashKopecks } = order;
  return {
    retailStore: storeOf(place),
    name,
    moment,
    meta: id === "" ? { href: "", id: "" } : metaOf(place, type, id),
    ...present({ agent }),
    positions: lines.map((line) => soldPosition(place, line)),
    cashSum: roubleNumber(cashKopecks),
  };
}

function position(
  place: LoyaltyPlace,
  { assortmentId, type = "product", quantityThousandths, priceKopecks, serials }: LoyaltyLine,
): object {
  const meta = { ...metaOf(place, type, assortmentId), idType: "native", type };
  const sn = serials?.map((name) => ({ meta: metaOf(place, "thing", name), name }));
  return { assortment: { meta }, quantity: quantityNumber(quantityThousandths), price: roubleNumber(priceKopecks), ...present({ sn }) };
}

function soldPosition(place: LoyaltyPlace, line: SoldLoyaltyLine): { discountedPrice: FixedDecimal } {
  const { serials: _serials, discountedKopecks, percentHundredths, ...sold } = line;
  const discounts = { discountPercent: roubleNumber(percentHundredths), discountedPrice: roubleNumber(discountedKopecks) };
  return { ...position(place, sold), ...discounts };
}

function storeOf({ api, storeId }: LoyaltyPlace): object {
  return { meta: { href: `${api}/entity/retailstore/${storeId}`, id: storeId } };
}

function metaOf({ api }: LoyaltyPlace, type: string, id: string): object {
  return { href: `${api}/entity/${type}/${id}`, id };
}
