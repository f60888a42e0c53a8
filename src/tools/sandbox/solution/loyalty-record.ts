import type { Account } from "../account/account.ts";
import type { LoyaltyCustomer, SoldLoyaltyLine } from "../caller/loyalty/bodies.ts";
import type { Value } from "../values/stored.ts";

/** The type under which the account keeps the loyalty data of a sale. It has no address in the JSON API. */
const LOYALTY_SALE = "loyaltysale";

export type LoyaltyPay = "cash" | "card" | "qr";

/** A sale as the loyalty programme knows it. Its id is the id of the document. */
export interface LoyaltySale {
  readonly id: string;
  readonly retailStoreId: string;
  readonly pay: LoyaltyPay;
  readonly customer?: LoyaltyCustomer | undefined;
  readonly lines: readonly SoldLoyaltyLine[];
  readonly bonusValueToSpend: number;
  readonly bonusValueToEarn: number;
  /** The id of the QR payment. Undefined: the sale was paid otherwise. */
  readonly operationId?: string | undefined;
  /** The returned quantity of each line, in thousandths. */
  readonly returned: readonly number[];
}

export function loyaltySale(account: Account, id: string): LoyaltySale | undefined {
  const values = account.objects.get(LOYALTY_SALE, id)?.values;
  // Only this file writes these objects, so their form is known.
  return values === undefined ? undefined : { ...(JSON.parse(String(values.content)) as Omit<LoyaltySale, "id">), id };
}

/** Stores a new sale or a changed one. Must run inside a commit. */
export function keepLoyaltySale(account: Account, { id, ...sale }: LoyaltySale): void {
  const { bonusValueToSpend, bonusValueToEarn } = sale;
  const content: Value = JSON.stringify(sale);
  account.put({ type: LOYALTY_SALE, id, values: { bonusValueToSpend, bonusValueToEarn, content } });
}
