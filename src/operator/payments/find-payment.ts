import { paymentsNamed } from "../../payments/finding/found-payments.ts";
import { type Payment, paymentOf } from "../../payments/payment.ts";
import type { OperatorPayments } from "./services.ts";

/** The largest number of payments read for one id. */
const MOST_NAMED = 50;

type FoundPayment =
  | { kind: "found"; payment: Payment }
  | { kind: "none" }
  /** The candidates, the newest first. */
  | { kind: "ambiguous"; candidates: readonly Payment[] };

/**
 * Finds a payment by its own id, the operation's id or the bank's id. An operation's id means its newest attempt, as for the till. A
 * payment's own id and its id at the bank also find an earlier attempt.
 */
export async function findPayment({ services }: Pick<OperatorPayments, "services">, id: string): Promise<FoundPayment> {
  const rows = await paymentsNamed(services.store, id, MOST_NAMED);
  const named = rows.map(paymentOf);
  const own = named.find((payment) => payment.id === id);
  if (own !== undefined) return { kind: "found", payment: own };
  const meant = named.filter((payment) => payment.operationId !== id || isNewestAttempt(payment, named));
  const [only, another] = meant;
  if (only === undefined) return { kind: "none" };
  return another === undefined ? { kind: "found", payment: only } : { kind: "ambiguous", candidates: meant };
}

function isNewestAttempt({ appId, accountId, operationId, attempt }: Payment, named: readonly Payment[]): boolean {
  return !named.some(
    (other) => other.appId === appId && other.accountId === accountId && other.operationId === operationId && other.attempt > attempt,
  );
}
