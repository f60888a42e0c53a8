import { newestInSteps } from "../../kernel/work/newest-in-steps.ts";
import type { Store } from "../../store/database.ts";
import type { PaymentRow } from "../../store/payment-tables.ts";
import {
  idsOfSmallAccount,
  listAmong,
  listStep,
  operationStep,
  type PaymentFilter,
  type PaymentPlace,
  paymentsWithId,
} from "./search-queries.ts";

/** For a person's requests, which read the payments in steps. Other work runs between the steps. */
type Reads = Pick<Store, "read">;

/** Lists payments, the newest first. */
export async function listedPayments(store: Reads, filter: PaymentFilter): Promise<PaymentRow[]> {
  const { accountId } = filter;
  const ids = accountId === undefined ? undefined : await store.read((db) => idsOfSmallAccount(db, accountId));
  if (ids !== undefined) return store.read((db) => listAmong(db, ids, filter));
  return newestInSteps<PaymentPlace, PaymentRow>(filter.limit, (step) => store.read((db) => listStep(db, filter, step)));
}

/** Returns the payments whose id, operation id or bank id is this text, the newest first. A payment's own id returns that payment alone. */
export async function paymentsNamed(store: Reads, text: string, limit: number): Promise<PaymentRow[]> {
  const withId = await store.read((db) => paymentsWithId(db, text, limit));
  const own = withId.filter(({ id }) => id === text);
  if (own.length > 0) return own;
  const ofOperation = await newestInSteps<PaymentPlace, PaymentRow>(limit, (step) => store.read((db) => operationStep(db, text, step)));
  const all = new Map([...withId, ...ofOperation].map((row) => [row.id, row]));
  return [...all.values()].sort((a, b) => b.created_at_ms - a.created_at_ms || b.attempt - a.attempt).slice(0, limit);
}
