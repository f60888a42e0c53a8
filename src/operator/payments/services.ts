import type { Journal } from "../../journal/journal.ts";
import type { PaymentState } from "../../model/payment.ts";
import type { Clients } from "../../payments/clients.ts";
import { PAYMENT_LEASE_MS, type PaymentServices } from "../../payments/services.ts";
import type { Turns } from "../../payments/turns/turns.ts";

/**
 * The services for a person's work on payments. They may also be used beside a running server: an order is stored first, and the process
 * with the payment's lease carries it out.
 */
export interface OperatorPayments {
  services: Pick<PaymentServices, "store" | "clock" | "settingsOf">;
  clients: Clients;
  turns: Turns;
  journal: Pick<Journal, "get">;
}

/** How long a person waits for an ordered refund or decision. A turn ends within 6 s, and the order is carried out in any case. */
export const OPERATOR_WAIT_MS = 8_000;
/**
 * How long a comparison with the banks waits for a payment that another process has leased. After a server was killed, its leases last
 * until they run out.
 */
export const HELD_WAIT_MS = PAYMENT_LEASE_MS + 2_000;
/** States in which the payment has, or had, the buyer's money. */
export const STATES_WITH_MONEY: readonly PaymentState[] = ["paid", "refunding", "partly refunded", "refunded"];
