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

export const DOCUMENT_SHAPES: Shapes = { rate: RATE };

/** The rows shared by the customer order and all documents of json-api 12, in the order of answers. */
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

/** Returns the table of a document: the common rows, then its own. An own row replaces the common row of the same name. */
export function documentTable(rows: string, shapes: Shapes): readonly Field[] {
  const own = new Map(fieldTable(rows, shapes).map((field) => [field.name, field]));
  const common = COMMON_TABLE.map((field) => own.get(field.name) ?? field);
  for (const { name } of common) own.delete(name);
  return [...common, ...own.values()];
}

/** The shared properties of documents. A document's file states only the differences. */
export const DOCUMENT = {
  lists: { notes: DOCUMENT_NOTE },
  offers: new Set<Offer>(["create", "update", "delete", "template", "trash", "mass"]),
  states: true,
  metadata: true,
  document: true,
  /** The search fields (json-api 6.4) and the fields for `order` (json-api 6.3). */
  search: { match: "inside", fields: ["name", "description"] },
  order: "id syncId version updated updatedBy name description externalCode moment applicable sum created".split(" "),
} as const satisfies Partial<EntityType>;

const NUMBER_DIGITS = 5;

/** Returns the draft with defaults: the number, the moment without seconds, the flags. */
export function completeDocument(type: string, draft: Values, writing: Writing): Values {
  return {
    name: nextNumber(type, writing),
    moment: cutToMinute(writing.nowMs),
    printed: false,
    published: false,
    ...draft,
  };
}

/** Throws 3006 if the number is not unique in the type, 3007 for a change of a document in the recycle bin. */
export function settleDocument(type: string, draft: Values, before: Stored | undefined, { account }: Writing): void {
  if (before?.values.deleted !== undefined) throw refused(3007, undefined, "документ находится в корзине");
  if (draft.name === before?.values.name) return;
  if (draft.name !== undefined && account.holders.of(type, "name", draft.name).length > 0) throw refused(3006, "name");
}

/** Returns a rate in the account's own currency. */
export function ownCurrency({ account }: Writing): Values {
  const currency = accountCurrency(account);
  return currency === undefined ? {} : { rate: { currency: referenceTo(currency) } };
}

/**
 * Returns the document with its rate. A document without a rate gets the account's own currency. The own currency always has rate 1:
 * another value is refused (3007). A negative rate is refused (3002). Rate 1 is not stored, so answers omit it.
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

/** Returns the object that a field of the draft refers to. */
export function pointed(draft: Values, field: string, { account }: Pick<Writing, "account">): Stored | undefined {
  return account.objects.pointedBy(draft[field]);
}

/**
 * Throws 3007 if a new or moved document has a shift in the recycle bin, or if any document is older than its shift. Throws 3007, or 19000
 * for returns, if a new or moved document has a closed shift (json-api D27, D28).
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

/** Returns the refusal of a change in a closed shift: 3007, or 19000 for returns (json-api D27). */
export function shiftClosed(code: number): Refusal {
  return code === 3007 ? refused(3007, undefined, "смена закрыта") : refused(code);
}

/**
 * Returns the type's next number (json-api D47): the last created number plus one, with the same prefix and leading zeros. Used numbers are
 * skipped.
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
