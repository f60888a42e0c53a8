import { type Refusal, refused } from "../../call/refusal.ts";
import { cutToMinute, datetimeText } from "../../values/datetime.ts";
import { referenceIn, referenceTo, type Stored, shapeIn, type Values } from "../../values/stored.ts";
import { accountCurrency } from "../directories/currency.ts";
import { entityTable } from "../entity-table.ts";
import type { EntityType, Offer, Writing } from "../entity-type.ts";
import { type Field, fieldTable, type Shapes } from "../field.ts";
import { DOCUMENT_NOTE } from "../note.ts";

const RATE = fieldTable(`
  currency  ref:currency  req exp
  value     number
`);

/** The shape of the field `rate` of documents: a currency and its rate. */
export const DOCUMENT_SHAPES: Shapes = { rate: RATE };

/** Rows that the customer order and all documents of json-api 12 share, in the order of their answers. */
const COMMON_TABLE = entityTable(
  `
    attributes    attributes        A
    created       datetime          ro out C
    deleted       datetime          ro C
    moment        minute            out C
    name          string(255)       out T
    organization  ref:organization  req out exp E
    printed       bool              ro out E
    published     bool              ro out E
    syncId        uuid              once E
  `,
  {},
  ["code", "updated"],
);

/** Returns the table of a document: the common rows, then its own. Its own row replaces a common row of the same name. */
export function documentTable(rows: string, shapes: Shapes): readonly Field[] {
  const own = new Map(fieldTable(rows, shapes).map((field) => [field.name, field]));
  const common = COMMON_TABLE.map((field) => own.get(field.name) ?? field);
  for (const { name } of common) own.delete(name);
  return [...common, ...own.values()];
}

/** The properties that documents share. The file of a document states only the differences. */
export const DOCUMENT = {
  lists: { notes: DOCUMENT_NOTE },
  offers: new Set<Offer>(["create", "update", "delete", "template", "trash", "mass"]),
  states: true,
  metadata: true,
  document: true,
  /** Where `search` looks (json-api 6.4), and what `order` accepts (6.3). */
  search: { match: "inside", fields: ["name", "description"] },
  order: "id syncId version updated updatedBy name description externalCode moment applicable sum created".split(" "),
} as const satisfies Partial<EntityType>;

const NUMBER_DIGITS = 5;

/** Returns a new document of any type. Defaults fill what the draft lacks: the number, the moment without seconds, the flags. */
export function completeDocument(type: string, draft: Values, writing: Writing): Values {
  return {
    name: nextNumber(type, writing),
    moment: cutToMinute(writing.nowMs),
    printed: false,
    published: false,
    ...draft,
  };
}

/** Throws 3006 when the number is not unique within the type, 3007 when a document in the recycle bin changes. */
export function settleDocument(type: string, draft: Values, before: Stored | undefined, { account }: Writing): void {
  if (before?.values.deleted !== undefined) throw refused(3007, undefined, "документ находится в корзине");
  if (draft.name === before?.values.name) return;
  if (draft.name !== undefined && account.holders.of(type, "name", draft.name).length > 0) throw refused(3006, "name");
}

/** Returns the rate of a document in the account's own currency. */
export function ownCurrency({ account }: Writing): Values {
  const currency = accountCurrency(account);
  return currency === undefined ? {} : { rate: { currency: referenceTo(currency) } };
}

/**
 * Returns the document with its rate. A document without a rate gets the account's own currency, whose rate is always 1: another
 * value is refused (3007). No rate is below zero (3002). A rate of 1 is not stored, so answers omit it.
 */
export function withRate(draft: Values, writing: Writing): Values {
  const own = ownCurrency(writing);
  const rate = shapeIn(draft.rate);
  if (rate === undefined) return { ...draft, ...own };
  const { value, ...kept } = rate;
  if (value === undefined || value === 1) return { ...draft, rate: kept };
  if (Number(value) < 0) throw refused(3002, "value").below("rate");
  const isOwn = referenceIn(rate.currency)?.id === referenceIn(shapeIn(own.rate)?.currency)?.id;
  if (isOwn) throw refused(3007, "value", "курс валюты учёта всегда 1").below("rate");
  return draft;
}

/** Returns the object that a field of the draft points at; undefined when the field is empty. */
export function pointed(draft: Values, field: string, { account }: Pick<Writing, "account">): Stored | undefined {
  return account.objects.pointedBy(draft[field]);
}

/**
 * Throws when the document gets another shift that is closed (3007, or 19000 for returns) or in the recycle bin. Throws also when
 * the document is older than its shift (D27, D28).
 */
export function checkShift(draft: Values, before: Stored | undefined, closedCode: number, writing: Writing): void {
  const shift = pointed(draft, "retailShift", writing);
  if (shift === undefined) return;
  const same = referenceIn(before?.values.retailShift)?.id === shift.id;
  if (!same && shift.values.closeDate !== undefined) throw shiftClosed(closedCode);
  if (!same && shift.values.deleted !== undefined) throw refused(3007, undefined, "смена находится в корзине");
  if (Number(draft.moment) < Number(shift.values.moment)) {
    throw refused(3007, undefined, `документ раньше открытия смены (${datetimeText(Number(shift.values.moment))})`);
  }
}

/** Returns the refusal of a document that would change the sums of a closed shift: 3007, or 19000 for returns (D27). */
export function shiftClosed(code: number): Refusal {
  return code === 3007 ? refused(3007, undefined, "смена закрыта") : refused(code);
}

/**
 * Returns the next number of the type (D47). The last created document whose name ends in digits gives the number, which is
 * increased by one. The text before the digits and the leading zeros stay. A number that another document has is skipped.
 */
function nextNumber(type: string, { account }: Writing): string {
  const last = account.numbers.last(type) ?? "0".repeat(NUMBER_DIGITS);
  let end = last.length;
  while (end > 0 && /\d/.test(last.charAt(end - 1))) end -= 1;
  const [before, digits] = [last.slice(0, end), last.slice(end)];
  for (let next = BigInt(digits) + 1n; ; next += 1n) {
    const name = before + String(next).padStart(digits.length, "0");
    if (account.holders.of(type, "name", name).length === 0) return name;
  }
}
