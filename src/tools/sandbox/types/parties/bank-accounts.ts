import { BANK_ACCOUNT_TYPE } from "../../account/inner-objects.ts";
import { refused, within, withinEach } from "../../call/refusal.ts";
import { type Element, elementsIn, referenceIn, referenceTo, type Stored, type Value, type Values } from "../../values/stored.ts";
import { accountCurrency } from "../directories/currency.ts";
import { DIRECTORY, NO_WRITES } from "../entity-defaults.ts";
import type { ElementType, EntityType, Writing } from "../entity-type.ts";
import { fieldTable } from "../field.ts";

const ROWS = `
  accountId             uuid         ro out
  accountNumber         string(255)  req out
  bankLocation          string(255)
  bankName              string(255)
  bic                   string(255)
  correspondentAccount  string(255)
  id                    uuid         ro out
  isDefault             bool         out
  updated               datetime     ro out
`;

/** A bank account of a counterparty (json-api 13.5). */
export const BANK_ACCOUNT: ElementType = { name: "account", fields: fieldTable(ROWS), complete: stamped };

/** A bank account of an organization, with an optional currency (json-api 13.8). */
export const ORGANIZATION_ACCOUNT: ElementType = {
  name: "account",
  fields: fieldTable(`${ROWS}currency ref:currency exp`),
  complete: stamped,
};

/**
 * The type of a bank account as the target of references from documents. These references can be expanded. A bank account is written by the
 * body of its owner (json-api 13.5, 13.8).
 */
export const BANK_ACCOUNT_OBJECT: EntityType = {
  ...DIRECTORY,
  name: BANK_ACCOUNT_TYPE,
  inner: true,
  offers: NO_WRITES,
  metadata: false,
  fields: ORGANIZATION_ACCOUNT.fields,
};

function stamped(
  values: Values,
  _before: Values | undefined,
  _id: string,
  { account }: { account: { clock: { nowMs(): number } } },
): Values {
  return { ...values, updated: account.clock.nowMs() };
}

/**
 * Returns the bank accounts with one default: the last bank account that the body newly marks. Without a new mark, the earlier default
 * stays. Without an earlier default, or if the body removes it, the first bank account becomes the default.
 */
export function settleDefault(draft: Values, before: Stored | undefined): Value {
  const accounts = elementsIn(draft.accounts);
  const was = elementsIn(before?.values.accounts).find(({ values }) => values.isDefault === true)?.id;
  const made = accounts.findLast(({ id, values }) => values.isDefault === true && id !== was);
  const chosen = made?.id ?? (accounts.some(({ id }) => id === was) ? was : accounts[0]?.id);
  return accounts.map((element) => ({ id: element.id, values: { ...element.values, isDefault: element.id === chosen } }));
}

/**
 * Returns an organization's bank accounts with their currencies. The default currency is the shop's currency. Throws 3001 for a changed
 * currency. Throws 72000 if there are bank accounts, but none has the shop's currency.
 */
export function settleCurrencies(draft: Values, before: Stored | undefined, { account }: Writing): readonly Element[] {
  const own = accountCurrency(account);
  const old = new Map(elementsIn(before?.values.accounts).map(({ id, values }) => [id, referenceIn(values.currency)?.id]));
  const settled = ({ id, values }: Element): Element => {
    const currency = values.currency ?? (own === undefined ? undefined : referenceTo(own));
    if (old.has(id) && old.get(id) !== referenceIn(currency)?.id) throw refused(3001, "currency");
    return { id, values: { ...values, currency } };
  };
  const accounts = within("accounts", () => withinEach(elementsIn(draft.accounts), settled));
  if (accounts.length > 0 && !accounts.some(({ values }) => referenceIn(values.currency)?.id === own?.id)) throw refused(72000, "accounts");
  return accounts;
}
