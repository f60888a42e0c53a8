import type { MarkPolicy } from "./marks/mark-check.ts";
import type { ItemKind } from "./subjects.ts";
import type { TaxSystem } from "./tax.ts";

/** The settings of a point of sale that its documents depend on. */
export interface StoreProfile {
  taxSystem: TaxSystem;
  /** True when the system was set for this point of sale or its account. Then the platform's data never change it. */
  taxSystemIsSet?: boolean;
  /** False forces `БЕЗ НДС` on every line (interface 6, Seller without VAT). */
  vatPayer: boolean;
  /** Which contact goes into tag 1008 when the platform sends a phone number and an e-mail address. */
  buyerContact: "email" | "phone" | "none";
  /** The kind of positions for which the payload gives no kind. Absent: goods. */
  itemKind?: ItemKind;
  /**
   * Check results with which a mark is sold. Absent when nobody has chosen: then all results are accepted, but no
   * unreadable mark.
   */
  markPolicy?: MarkPolicy;
  senderEmail?: string;
  address?: string;
  place?: string;
}
