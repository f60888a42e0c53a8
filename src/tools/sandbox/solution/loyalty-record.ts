import type { Account } from "../account/account.ts";
import type { LoyaltyCustomer, SoldLoyaltyLine } from "../caller/loyalty/bodies.ts";
import type { Value } from "../values/stored.ts";

/** The stored type for the loyalty data of a sale. The JSON API does not show it. */
const LOYALTY_SALE = "loyaltysale";

export type LoyaltyPay = "cash" | "card" | "qr";

/** A sale in the loyalty programme. Its id is the document's id. */
export interface LoyaltySale {
  readonly id: string;
  readonly retailStoreId: string;
  readonly pay: LoyaltyPay;
  readonly customer?: LoyaltyCustomer | undefined;
  readonly lines: readonly SoldLoyaltyLine[];
  readonly bonusValueToSpend: number;
  readonly bonusValueToEarn: number;
  /** The QR payment's id. Undefined: the sale was not paid by QR. */
  readonly operationId?: string | undefined;
  /** The returned quantity of each line, in thousandths. */
  readonly returned: readonly number[];
}

export function loyaltySale(account: Account, id: string): LoyaltySale | undefined {
  const values = account.objects.get(LOYALTY_SALE, id)?.values;
  // Only this file writes these objects, so the cast is safe.
  return values === undefined ? undefined : { ...(JSON.parse(String(values.content)) as Omit<LoyaltySale, "id">), id };
}

/** Stores a new or changed sale. Must run inside a commit. */
export function keepLoyaltySale(account: Account, { id, ...sale }: LoyaltySale): void {
  const { bonusValueToSpend, bonusValueToEarn } = sale;
  const content: Value = JSON.stringify(sale);
  account.put({ type: LOYALTY_SALE, id, values: { bonusValueToSpend, bonusValueToEarn, content } });
}
