import { sql } from "kysely";
import type { Acquirer, Capabilities } from "../../../src/acquirers/acquirer.ts";
import type { Clock } from "../../../src/kernel/clock.ts";
import type { PaymentServices } from "../../../src/payments/services.ts";
import type { Store } from "../../../src/store/database.ts";
import { type Lease, Leases } from "../../../src/store/lease.ts";
import type { SeededChance } from "../seeded-chance.ts";
import { type BankReach, openClient } from "./bank-client.ts";

/** Safeguards of the payments that a test switches off, one at a time, to see whether the simulation notices. */
export const PAYMENT_MUTATIONS = [
  /** The intention is not stored before the bank is asked. */
  "intent-not-stored",
  /** The answer that a till got is not stored. */
  "told-not-stored",
  /** The till's cancel is not stored. */
  "cancel-not-stored",
  /** A refund without an answer is repeated, although the bank makes a second refund of it. */
  "refund-blindly",
  /** Two processes work on one payment at once. */
  "lease-ignored",
  /** When the bank does not answer a refund, it counts as refused. */
  "doubt-is-refusal",
  /** A payment expires by the time alone, without a reading. */
  "expiry-unread",
  /** A rejected payment is not watched any more. */
  "end-unwatched",
  /** Late money is noticed, but its return is not ordered. */
  "late-kept",
  /** A token may be used again. */
  "token-again",
] as const;

export type PaymentMutation = (typeof PAYMENT_MUTATIONS)[number];

/** Triggers that take back in the same transaction what the code has written, as if the code lacked the statement. */
const TRIGGERS: Partial<Record<PaymentMutation, string>> = {
  "intent-not-stored": "before insert on payment_calls begin select raise(ignore); end",
  "told-not-stored":
    "after update of told on payments when new.told is not null begin update payments set told = null where id = new.id; end",
  "cancel-not-stored":
    "after update of cancelled on payments when new.cancelled = 1 begin update payments set cancelled = 0 where id = new.id; end",
  "end-unwatched": `after update of next_read_at_ms on payments
    when new.next_read_at_ms is not null and new.state in ('declined', 'expired', 'cancelled')
    begin update payments set next_read_at_ms = null where id = new.id; end`,
  "late-kept": "before insert on payment_refunds when new.cause = 'late' begin select raise(ignore); end",
  "token-again": "after insert on seen_tokens begin delete from seen_tokens where app_id = new.app_id and jti = new.jti; end",
};

const TRIGGER = "mutation";

export async function switchOff(store: Store, mutation: PaymentMutation | undefined): Promise<void> {
  await sql.raw(`drop trigger if exists ${TRIGGER}`).execute(store.db);
  const trigger = mutation === undefined ? undefined : TRIGGERS[mutation];
  if (trigger !== undefined) await sql.raw(`create trigger ${TRIGGER} ${trigger}`).execute(store.db);
}

/** Capabilities of the bank that are stated wrongly. */
export function saidOfTheBank(mutation: PaymentMutation | undefined): Partial<Capabilities> {
  return mutation === "refund-blindly" ? { refundIdempotent: true } : {};
}

export function leasesOf(
  mutation: PaymentMutation | undefined,
  parts: { store: PaymentServices["store"]; clock: Clock; chance: SeededChance; leaseMs: number },
): Leases {
  return mutation === "lease-ignored" ? new NoLeases(parts) : new Leases(parts);
}

/** Gives each lease to whoever asks. */
class NoLeases extends Leases {
  override async take(name: string): Promise<Lease> {
    return { name, token: 1, isSafe: () => true };
  }

  override async holds(): Promise<boolean> {
    return true;
  }
}

/** The client without one of its precautions. `nowMs` is the process's time. */
export function clientOf(mutation: PaymentMutation | undefined, nowMs: () => number): typeof openClient {
  switch (mutation) {
    case "doubt-is-refusal":
      return (life, reach) => certain(openClient(life, reach));
    case "expiry-unread":
      return (life, reach) => hasty(openClient(life, reach), reach, nowMs);
    default:
      return openClient;
  }
}

function certain(client: Acquirer): Acquirer {
  return bound(client, {
    refund: async (order, deadline) => {
      const refunded = await client.refund(order, deadline);
      return refunded.kind === "unknown" ? { kind: "refused", reason: { code: "refused" }, next: "person" } : refunded;
    },
  });
}

/**
 * The first reading after the end of the code always says that the payment waits for money. Later readings are true, so that late money
 * is returned all the same.
 */
function hasty(client: Acquirer, { bank }: BankReach, nowMs: () => number): Acquirer {
  const skipped = new Set<string>();
  return bound(client, {
    read: async (bankId, deadline) => {
      const { dueAtMs, orderedKopecks: amountKopecks, orderId: paymentId } = bank.record(bankId);
      if (nowMs() < dueAtMs || skipped.has(bankId)) return client.read(bankId, deadline);
      skipped.add(bankId);
      return { kind: "payment", payment: { bankId, status: "waiting", rawStatus: "WAITING", amountKopecks, paymentId } };
    },
  });
}

function bound(client: Acquirer, changed: Partial<Acquirer>): Acquirer {
  return {
    create: (order, deadline) => client.create(order, deadline),
    find: (order, deadline) => client.find(order, deadline),
    read: (bankId, deadline) => client.read(bankId, deadline),
    cancel: (payment, deadline) => client.cancel(payment, deadline),
    refund: (order, deadline) => client.refund(order, deadline),
    readRefund: (order, deadline) => client.readRefund(order, deadline),
    close: () => client.close(),
    ...changed,
  };
}
