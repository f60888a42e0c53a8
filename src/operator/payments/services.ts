import type { Journal } from "../../journal/journal.ts";
import type { Clients } from "../../payments/clients.ts";
import { PAYMENT_LEASE_MS, type PaymentServices } from "../../payments/services.ts";
import type { Turns } from "../../payments/turns/turns.ts";

/**
 * What a person's work on payments needs. It runs beside a server: what is ordered is stored first, and whoever gets the payment's
 * lease carries it out.
 */
export interface PaymentDesk {
  services: Pick<PaymentServices, "store" | "clock" | "settingsOf">;
  clients: Clients;
  turns: Turns;
  journal: Pick<Journal, "get">;
}

/** How long a person waits for what is ordered. A turn ends within 6 s, and what is ordered is done without the person too. */
export const DESK_WAIT_MS = 8_000;
/** How long a look at the banks waits for a payment: a server that was killed holds its payments for the whole lease. */
export const HELD_WAIT_MS = PAYMENT_LEASE_MS + 2_000;
