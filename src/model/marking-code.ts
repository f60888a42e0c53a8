/**
 * What a marking code says (fiscal-receipts 4.7). `text` is the whole code as a device takes it, its
 * separators in their places; nothing is trimmed or changed in case, since the alphabet has both cases
 * and most signs.
 */
export type MarkingCode =
  /** GS1 with product and serial number; `full`: a key and a signature follow (shapes A, B), else a short check value. */
  | { shape: "gs1"; full: boolean; gtin: string; serial: string; text: string }
  /** A pack of cigarettes: product, serial number, highest price, check value, side by side. */
  | { shape: "tobacco-pack"; gtin: string; serial: string; price: string; text: string }
  | { shape: "fur"; text: string }
  /** A bar code of the product alone. */
  | { shape: "ean-8" | "ean-13" | "itf-14"; gtin: string; text: string }
  | { shape: "unrecognised"; text: string };

/** Why something that has a known shape is no code of one piece of goods. */
export type CodeProblem =
  /** The product number's check digit is wrong: misread or mistyped. */
  | "check-digit"
  /** A box or a pallet, not a piece. */
  | "aggregate"
  /** A label that a scale printed. */
  | "weight-label";

export type ReadCode = MarkingCode | { shape: "refused"; problem: CodeProblem };

/** The separator inside a code: ASCII 29. */
export const GS = "\u001d";

/** Reads a code whose stand-ins have been resolved and whose prefix is off. */
export function readCode(text: string): ReadCode {
  if (AGGREGATE.test(text)) return { shape: "refused", problem: "aggregate" };
  const gs1 = GS1.exec(text)?.groups;
  if (gs1 !== undefined) return readGs1(text, gs1.gtin ?? "", gs1.rest ?? "");
  if (FUR.test(text)) return { shape: "fur", text };
  const pack = TOBACCO_PACK.exec(text)?.groups;
  if (pack !== undefined && hasCheckDigit(pack.gtin ?? "")) {
    return { shape: "tobacco-pack", gtin: pack.gtin ?? "", serial: pack.serial ?? "", price: pack.price ?? "", text };
  }
  return readBarCode(text) ?? { shape: "unrecognised", text };
}

/** Mod 10, weights 3 and 1 in turn from the digit before the last. */
export function hasCheckDigit(digits: string): boolean {
  const sum = [...digits.padStart(14, "0").slice(0, -1)].reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 3 : 1), 0);
  return String((10 - (sum % 10)) % 10) === digits.at(-1);
}

/** What serial numbers, keys and prices are made of: eighty characters. */
const SIGN = "[A-Za-z0-9!\"%&'*+\\-./_,:;=<>?]";

const GS1 = /^01(?<gtin>\d{14})21(?<rest>.+)$/s;
const TOBACCO_PACK = new RegExp(`^(?<gtin>\\d{14})(?<serial>${SIGN}{7})(?<price>${SIGN}{4})${SIGN}{4}$`);
const FUR = /^RU-\d{6}-[A-Za-z0-9]{10}$/;
/** SSCC of a transport package, or the contents of a package and their number. */
const AGGREGATE = new RegExp(`^(?:00\\d{18}|02\\d{14}(?:${GS}|37|$))`);

function readGs1(text: string, gtin: string, rest: string): ReadCode {
  if (!hasCheckDigit(gtin)) return { shape: "refused", problem: "check-digit" };
  const parts = rest.includes(GS) ? readSeparated(rest) : readJoined(rest);
  if (parts === undefined) return { shape: "unrecognised", text };
  return { shape: "gs1", full: parts.full, gtin, serial: parts.serial, text: `01${gtin}21${parts.serial}${parts.tail}` };
}

interface Gs1Parts {
  serial: string;
  full: boolean;
  /** From the serial number's end, separators included. */
  tail: string;
}

const SERIAL = new RegExp(`^${SIGN}{1,20}$`);
/** What stands between serial number and first separator in dairy codes with an expiry. */
const WITH_EXPIRY = new RegExp(`^(?<serial>${SIGN}{13})(?<expiry>17\\d{6}|7003\\d{10})$`);
/** Key and signature, check value, expiry, highest price, net weight, batch and further numbers of GS1. */
const ELEMENT = new RegExp(`^(?:91${SIGN}{4}|92.+|93${SIGN}{4}|17\\d{6}|7003\\d{10}|8005\\d{6}|310\\d\\d{6}|(?:10|240)${SIGN}+)$`, "s");

/** Separators say where every part ends. */
function readSeparated(rest: string): Gs1Parts | undefined {
  const [first = "", ...elements] = rest.split(GS);
  const expiring = WITH_EXPIRY.exec(first)?.groups;
  const serial = expiring?.serial ?? first;
  const last = elements.at(-1) === "" ? elements.slice(0, -1) : elements;
  if (!SERIAL.test(serial) || last.length === 0 || !last.every((element) => ELEMENT.test(element))) return undefined;
  const full = last.some((element) => element.startsWith("91"));
  if (!full && !last.some((element) => element.startsWith("93"))) return undefined;
  return { serial, full, tail: (expiring?.expiry ?? "") + GS + elements.join(GS) };
}

const NET_WEIGHT = "(?:3103\\d{6})?";
/** What follows a serial number of each length, to the last character: the lengths of the table decide. */
const JOINED: readonly { serial: number; rest: RegExp }[] = [
  { serial: 13, rest: new RegExp(`^(91${SIGN}{4})(92(?:.{88}|.{44}))$`, "s") },
  { serial: 13, rest: new RegExp(`^(17\\d{6}|7003\\d{10})?(93${SIGN}{4})(${NET_WEIGHT})$`) },
  { serial: 7, rest: new RegExp(`^(8005\\d{6})?(93${SIGN}{4})(${NET_WEIGHT})$`) },
  { serial: 6, rest: new RegExp(`^(93${SIGN}{4})(${NET_WEIGHT})$`) },
];

/** A scanner that loses the separators leaves only the shapes to go by. They are put back where they belong. */
function readJoined(rest: string): Gs1Parts | undefined {
  for (const { serial: length, rest: shape } of JOINED) {
    const serial = rest.slice(0, length);
    const parts = shape
      .exec(rest.slice(length))
      ?.slice(1)
      .filter((part) => part !== undefined && part !== "");
    if (parts === undefined || serial.length !== length || !SERIAL.test(serial)) continue;
    const [first = ""] = parts;
    // An expiry follows its serial number without a separator, as in codes that kept theirs.
    const joint = /^(?:17|7003)/.test(first) ? "" : GS;
    return { serial, full: first.startsWith("91"), tail: joint + parts.join(GS) };
  }
  return undefined;
}

const BAR_CODES = { 8: "ean-8", 13: "ean-13", 14: "itf-14" } as const;

function readBarCode(text: string): ReadCode | undefined {
  if (!/^\d+$/.test(text)) return undefined;
  const shape = BAR_CODES[text.length as keyof typeof BAR_CODES];
  if (shape === undefined) return undefined;
  // Shops give numbers that begin with 2 themselves: the label of a scale, no product of a maker.
  if (shape === "ean-13" && text.startsWith("2")) return { shape: "refused", problem: "weight-label" };
  return hasCheckDigit(text) ? { shape, gtin: text, text } : { shape: "refused", problem: "check-digit" };
}
