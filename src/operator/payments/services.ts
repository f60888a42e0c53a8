import type { Journal } from "../../journal/journal.ts";
import type { Clients } from "../../payments/clients.ts";
import type { PaymentServices } from "../../payments/services.ts";
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

/** How long a person waits for a turn of this process, or of the server that has the payment. A turn ends within 6 s. */
export const DESK_WAIT_MS = 8_000;
