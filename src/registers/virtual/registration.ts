import { createSecretKey } from "node:crypto";
import { type WallTime, wallAsUtcMs, wallFromUtc } from "../../kernel/moment.ts";
import type { RegisterIdentity } from "../../model/facts.ts";
import type { TaxSystem } from "../../model/tax.ts";
import { registerFailure } from "../failures.ts";
import { fits } from "../tags/tlv.ts";
import { composeRegistration } from "./documents.ts";
import { deviceNumbers, isInn } from "./numbers.ts";
import { FORMAT, type RegistrationRecord } from "./records.ts";

export interface Seller {
  sellerName: string;
  inn: string;
  address: string;
  place: string;
  taxSystems: TaxSystem[];
  /** Tag 1117. Empty: receipts have no sender unless the point of sale has one (interface 6). */
  senderEmail?: string;
}

/** A seller who does not exist: no tax office has the first two digits of this INN (fiscal-receipts 3.5). */
export const SAMPLE_SELLER: Seller = {
  sellerName: 'ООО "ОБРАЗЕЦ-РИТЕЙЛ"',
  inn: "9600123459",
  address: "000000, г. Образцов, ул. Примерная, д. 1",
  place: 'Магазин "Образец № 1"',
  taxSystems: ["osn", "usn-income", "usn-income-expense", "eshn", "patent"],
  senderEmail: "check@ofd.example",
};

/** The validity of the keys of a 36-month drive, in days (fiscal-receipts 6.1). */
const KEY_DAYS = 1_110;
/** How many documents fit into a drive, about as in real drives. */
const CAPACITY = 250_000;
const DAY_MS = 86_400_000;

/**
 * Returns the registration report of a new drive, its document number 1. Throws a Failure of kind `caller` when the INN's check digits are
 * wrong, a text does not fit its requisite, or the report is too large.
 */
export function register(
  name: string,
  secret: Buffer,
  seller: Seller,
  time: WallTime,
  ffd: RegisterIdentity["ffd"] = "1.2",
): RegistrationRecord {
  if (!isInn(seller.inn)) throw registerFailure("seller-invalid", "caller", `ИНН ${seller.inn}: wrong check digits`);
  const texts = [
    [1048, seller.sellerName],
    [1009, seller.address],
    [1187, seller.place],
    [1117, seller.senderEmail ?? ""],
  ] as const;
  for (const [tag, text] of texts) {
    if (!fits(tag, text)) throw registerFailure("seller-invalid", "caller", `too long for tag ${tag}: ${text}`);
  }
  const { senderEmail = "", ...named } = seller;
  const identity: RegisterIdentity = {
    ...deviceNumbers(name, secret, seller.inn),
    ...named,
    ...(senderEmail === "" ? {} : { senderEmail }),
    firmware: "EMU 1.0",
    ffd,
    fnsSite: "www.nalog.gov.ru",
  };
  const composed = composeRegistration({ identity, documentNumber: 1, time }, createSecretKey(secret));
  if (composed.kind === "too-large") throw registerFailure("seller-invalid", "caller", "the registration report is too large");
  return {
    kind: "registration",
    format: FORMAT,
    identity,
    secret: secret.toString("base64"),
    time,
    fiscalSign: composed.fiscalSign,
    keysUntil: wallFromUtc(wallAsUtcMs(time) + KEY_DAYS * DAY_MS),
    capacity: CAPACITY,
    tlv: composed.tlv.toString("base64"),
  };
}
