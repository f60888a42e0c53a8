import type { Account } from "../account/account.ts";
import type { LoyaltyCustomer, SoldLoyaltyLine } from "../caller/loyalty/bodies.ts";
import type { Value } from "../values/stored.ts";

/** The type under which the account keeps what the loyalty programme was told of a sale. It has no address in the JSON API. */
const LOYALTY_SALE = "loyaltysale";

export type LoyaltyPay = "cash" | "card" | "qr";

/** A sale as the programme knows it. Its id is the document's. */
export interface LoyaltySale {
  readonly id: string;
  readonly retailStoreId: string;
  readonly pay: LoyaltyPay;
  readonly customer?: LoyaltyCustomer | undefined;
  readonly lines: readonly SoldLoyaltyLine[];
  readonly bonusValueToSpend: number;
  readonly bonusValueToEarn: number;
  /** The QR payment, where there was one. */
  readonly operationId?: string | undefined;
  /** How much of each line has come back, in thousandths. */
  readonly returned: readonly number[];
}

export function loyaltySale(account: Account, id: string): LoyaltySale | undefined {
  const values = account.objects.get(LOYALTY_SALE, id)?.values;
  // Only this file writes them.
  return values === undefined ? undefined : { ...(JSON.parse(String(values.content)) as Omit<LoyaltySale, "id">), id };
}

/** Keeps a new sale, or what changed of one. Must run inside of a commit. */
export function keepLoyaltySale(account: Account, { id, ...sale }: LoyaltySale): void {
  const { bonusValueToSpend, bonusValueToEarn } = sale;
  const content: Value = JSON.stringify(sale);
  account.put({ type: LOYALTY_SALE, id, values: { bonusValueToSpend, bonusValueToEarn, content } });
}
