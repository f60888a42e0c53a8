import type { StoreProfile } from "./store-profile.ts";

/** The largest number of bytes of tag 1008. */
const MAX_CONTACT_LENGTH = 64;
/** E.164 allows 15 digits, country code included. The shortest numbers in use have seven. */
const PHONE = /^\+\d{7,15}$/;
const EMAIL = /^[\x21-\x3f\x41-\x7e]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$/;

interface ChosenContact {
  /** `+70000000000` or an e-mail address. Absent when no contact is wanted, or no given contact is valid. */
  contact?: string;
  /** The kinds of contacts that were tried and are invalid. They never block a sale (fiscal-receipts 4.9). */
  dropped: ("phone" | "email")[];
}

/**
 * Chooses one contact of the buyer: the kind that the point of sale prefers, or the other kind if the preferred contact is absent or
 * invalid. With `none` the receipt has no contact, and `dropped` is empty.
 */
export function chooseContact(given: { phone?: string; email?: string }, prefer: StoreProfile["buyerContact"]): ChosenContact {
  if (prefer === "none") return { dropped: [] };
  const kinds = prefer === "email" ? (["email", "phone"] as const) : (["phone", "email"] as const);
  const dropped: ChosenContact["dropped"] = [];
  for (const kind of kinds) {
    const raw = given[kind]?.trim() ?? "";
    if (raw === "") continue;
    const contact = kind === "email" ? normaliseEmail(raw) : normalisePhone(raw);
    if (contact !== undefined) return { contact, dropped };
    dropped.push(kind);
  }
  return { dropped };
}

/**
 * Returns tag 1117 of a document: the e-mail address set for the point of sale, otherwise the address given at the register's registration.
 * The address of the registration is used only for a document with a buyer's contact. Undefined: the document has no tag 1117.
 */
export function senderOf(document: { buyerContact?: string; senderEmail?: string }, registered: string | undefined): string | undefined {
  return document.senderEmail ?? (document.buyerContact === undefined ? undefined : registered);
}

/**
 * Returns the phone number as `+` and digits. Eleven digits that begin with 8 or 7, and ten digits that begin with 9, count as a Russian
 * number. Other numbers must begin with `+` or `00`. Undefined when the text is no phone number.
 */
export function normalisePhone(text: string): string | undefined {
  const compact = text.replace(/[\s().\-–—\u00a0]/g, "");
  const full = compact
    .replace(/^00/, "+")
    .replace(/^[78](?=\d{10}$)/, "+7")
    .replace(/^9\d{9}$/, "+7$&");
  return PHONE.test(full) ? full : undefined;
}

/** Returns the address with its domain in lower case. Undefined when the address is invalid or too long for tag 1008. */
export function normaliseEmail(text: string): string | undefined {
  if (!EMAIL.test(text) || text.length > MAX_CONTACT_LENGTH) return undefined;
  const at = text.lastIndexOf("@");
  return text.slice(0, at) + text.slice(at).toLowerCase();
}
