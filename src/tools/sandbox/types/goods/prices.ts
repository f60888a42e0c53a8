import type { Account } from "../../account/account.ts";
import { refused, within, withinEach } from "../../call/refusal.ts";
import { type Reference, referenceIn, referenceTo, type Stored, shapeIn, shapesIn, type Value, type Values } from "../../values/stored.ts";
import { accountCurrency } from "../directories/currency.ts";
import { priceTypes } from "../directories/price-type.ts";
import type { Writing } from "../entity-type.ts";

/**
 * Merges a body's sale prices with the stored prices by price type, and returns the result (json-api 7.2). Every price type of the account
 * gets a price, zero by default. A price without price type uses the first price type. A price without currency keeps its stored currency,
 * or gets the account's currency.
 */
export function mergeSalePrices(draft: Values, before: Stored | undefined, { account, given }: Writing): Value {
  const currency = accountCurrency(account);
  const types = priceTypes(account);
  const sent = given.has("salePrices") || before === undefined ? shapesIn(draft.salePrices) : [];
  // A null in the body clears the field, so the stored prices are dropped.
  const old = draft.salePrices === undefined ? [] : shapesIn(before?.values.salePrices);
  within("salePrices", () => withinEach(sent, (price) => checkPrice(price, "salePrices")));
  return types.map((type) => {
    const earlier = old.find((price) => typeOf(price, types) === type.id);
    const now = sent.findLast((price) => typeOf(price, types) === type.id);
    const price: Values = { value: 0, ...(currency === undefined ? {} : { currency: referenceTo(currency) }), ...earlier, ...now };
    return { ...price, priceType: referenceTo(type) };
  });
}

/** Returns the price in a field (purchase price, minimum price, overhead), if any. Its default currency is the currency of the account. */
export function settlePrice(draft: Values, name: string, { account }: Writing): Values {
  const price = shapeIn(draft[name]);
  if (price === undefined) return {};
  within(name, () => checkPrice(price, name));
  const currency = accountCurrency(account);
  return { [name]: { ...(currency === undefined ? {} : { currency: referenceTo(currency) }), ...price } };
}

function typeOf(price: Values, types: readonly Reference[]): string | undefined {
  return referenceIn(price.priceType)?.id ?? types[0]?.id;
}

function checkPrice({ value }: Values, name: string): void {
  if (typeof value === "number" && value < 0) throw refused(3002, name).below("value");
}

/** Returns a price for each current price type, or no values if the stored prices match the price types. */
export function shownSalePrices(kept: Value | undefined, account: Account): Values {
  const prices = shapesIn(kept);
  const known = account.objects.all("pricetype");
  const same = prices.length === known.size && prices.every(({ priceType }) => known.has(referenceIn(priceType)?.id ?? ""));
  if (same) return {};
  const currency = accountCurrency(account);
  const nothing: Values = { value: 0, ...(currency === undefined ? {} : { currency: referenceTo(currency) }) };
  return {
    salePrices: priceTypes(account).map((type): Value => {
      const own = prices.find(({ priceType }) => referenceIn(priceType)?.id === type.id) ?? nothing;
      return { ...own, priceType: referenceTo(type) };
    }),
  };
}
