import { paymentsNamed } from "../../payments/finding/found-payments.ts";
import { isReadable, type ListedPayment, listedPaymentOf, type UnreadablePayment } from "../../payments/listed-payment.ts";
import type { Payment } from "../../payments/payment.ts";
import type { OperatorPayments } from "./services.ts";

/** The largest number of payments read for one id. */
const MOST_NAMED = 50;

type FoundPayment =
  | { kind: "found"; payment: Payment }
  /** The only payment with this id cannot be read. */
  | { kind: "unreadable"; payment: UnreadablePayment }
  | { kind: "none" }
  /** The candidates, the newest first. */
  | { kind: "ambiguous"; candidates: readonly ListedPayment[] };

/**
 * Finds a payment by its own id, the operation's id or the bank's id. An operation's id means its newest attempt, as for the till. A
 * payment's own id and its id at the bank also find an earlier attempt.
 */
export async function findPayment({ services }: Pick<OperatorPayments, "services">, id: string): Promise<FoundPayment> {
  const rows = await paymentsNamed(services.store, id, MOST_NAMED);
  const named = rows.map(listedPaymentOf);
  const own = named.find((payment) => payment.id === id);
  if (own !== undefined) return foundOne(own);
  const meant = named.filter((payment) => payment.operationId !== id || isNewestAttempt(payment, named));
  const [only, another] = meant;
  if (only === undefined) return { kind: "none" };
  return another === undefined ? foundOne(only) : { kind: "ambiguous", candidates: meant };
}

function foundOne(payment: ListedPayment): FoundPayment {
  return isReadable(payment) ? { kind: "found", payment } : { kind: "unreadable", payment };
}

function isNewestAttempt({ appId, accountId, operationId, attempt }: ListedPayment, named: readonly ListedPayment[]): boolean {
  return !named.some(
    (other) => other.appId === appId && other.accountId === accountId && other.operationId === operationId && other.attempt > attempt,
  );
}
