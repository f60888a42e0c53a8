import type { InstallationKey } from "../../accounts/installation.ts";
import { locked } from "../moves.ts";
import type { Payment } from "../payment.ts";
import { newestAttempt, type Tx } from "../payment-queries.ts";

/**
 * Reads and locks the newest attempt of an operation. While this call waits for the lock, another process may make the next attempt. So the
 * newest attempt is read again under the lock. Only the end of the newest attempt is the operation's end.
 */
export async function lockedNewest(tx: Tx, key: InstallationKey, operationId: string): Promise<Payment | undefined> {
  let row = await newestAttempt(tx, key, operationId);
  while (row !== undefined) {
    const payment = await locked(tx, row.id);
    row = await newestAttempt(tx, key, operationId);
    if (row?.id === payment.id) return payment;
  }
  return undefined;
}
