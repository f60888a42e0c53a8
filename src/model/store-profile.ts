import type { MarkPolicy } from "./marks/mark-check.ts";
import type { ItemKind } from "./subjects.ts";
import type { TaxSystem } from "./tax.ts";

/** What a point of sale is set to, as far as its documents depend on it. */
export interface StoreProfile {
  taxSystem: TaxSystem;
  /** It was set for this point of sale or its account: then nothing that the platform says changes it. */
  taxSystemIsSet?: boolean;
  /** False forces `БЕЗ НДС` on every line (interface 6, Seller without VAT). */
  vatPayer: boolean;
  /** Which of the two contacts goes into tag 1008 when the platform sends both. */
  buyerContact: "email" | "phone" | "none";
  /** What positions are whose kind the payload does not tell; absent: goods. */
  itemKind?: ItemKind;
  /** With which results of its check a mark is sold; absent: nobody has chosen, so with all, and none that cannot be read. */
  markPolicy?: MarkPolicy;
  senderEmail?: string;
  address?: string;
  place?: string;
}
