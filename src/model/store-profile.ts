import type { MarkPolicy } from "./marks/mark-check.ts";
import type { ItemKind } from "./subjects.ts";
import type { TaxSystem } from "./tax.ts";

export interface StoreProfile {
  taxSystem: TaxSystem;
  /** True when somebody set the system for this point of sale or its account. The platform's data then never change it. */
  taxSystemIsSet?: boolean;
  /** False forces `БЕЗ НДС` on every line (interface 6, Seller without VAT). */
  vatPayer: boolean;
  /** The preferred contact for tag 1008 when the platform sends a phone number and an e-mail address. `none`: never a contact. */
  buyerContact: "email" | "phone" | "none";
  /** The kind of positions for which the platform gives no kind. Absent: goods. */
  itemKind?: ItemKind;
  /**
   * The check results with which marked goods may be sold. Absent when nobody has chosen: all results are accepted, but no unreadable mark.
   */
  markPolicy?: MarkPolicy;
  senderEmail?: string;
  address?: string;
  place?: string;
}
