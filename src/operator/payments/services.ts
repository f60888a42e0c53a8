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

/**
 * How long a person waits for a turn of this process, or of the server that has the payment. A turn ends within 6 s; a server that was
 * killed holds its payments for the whole lease, and the turn begins after it.
 */
export const DESK_WAIT_MS = PAYMENT_LEASE_MS + 2_000;
