import type { TaxSystem } from "./tax.ts";

/** What a point of sale is set to, as far as its documents depend on it. */
export interface StoreProfile {
  taxSystem: TaxSystem;
  /** False forces `БЕЗ НДС` on every line (interface 6, Seller without VAT). */
  vatPayer: boolean;
  /** Which of the two contacts goes into tag 1008 when the platform sends both. */
  buyerContact: "email" | "phone" | "none";
  senderEmail?: string;
  address?: string;
  place?: string;
}
