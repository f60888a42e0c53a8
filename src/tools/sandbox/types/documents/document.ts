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

/** Currency of a document. */
export const DOCUMENT_SHAPES: Shapes = { rate: RATE };

/** Rows that all documents of chapter 12 and the customer order share, in the order of their answers. */
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

/** The table of a document: the common rows, then its own; a row of the same name takes a common one's place. */
export function documentTable(rows: string, shapes: Shapes): readonly Field[] {
  const own = new Map(fieldTable(rows, shapes).map((field) => [field.name, field]));
  const common = COMMON_TABLE.map((field) => own.get(field.name) ?? field);
  for (const { name } of common) own.delete(name);
  return [...common, ...own.values()];
}

/** What documents have in common; a document's file says only where it differs. */
export const DOCUMENT = {
  lists: { notes: DOCUMENT_NOTE },
  offers: new Set<Offer>(["create", "update", "delete", "template", "trash", "mass"]),
  states: true,
  metadata: true,
  document: true,
  /** Reference 6.4 and 6.3. */
  search: { match: "inside", fields: ["name", "description"] },
  order: "id syncId version updated updatedBy name description externalCode moment applicable sum created".split(" "),
} as const satisfies Partial<EntityType>;

const NUMBER_DIGITS = 5;

/** What a new document of any type has: its number, its moment without seconds, its flags. */
export function completeDocument(type: string, draft: Values, writing: Writing): Values {
  return {
    name: nextNumber(type, writing),
    moment: cutToMinute(writing.nowMs),
    printed: false,
    published: false,
    ...draft,
  };
}

/** Numbers are unique within a type (3006); a document in the bin is not changed (3007). */
export function settleDocument(type: string, draft: Values, before: Stored | undefined, { account }: Writing): void {
  if (before?.values.deleted !== undefined) throw refused(3007, undefined, "документ находится в корзине");
  if (draft.name === before?.values.name) return;
  if (draft.name !== undefined && account.holders.of(type, "name", draft.name).length > 0) throw refused(3006, "name");
}

/** The account's own currency, as a document's rate. */
export function ownCurrency({ account }: Writing): Values {
  const currency = accountCurrency(account);
  return currency === undefined ? {} : { rate: { currency: referenceTo(currency) } };
}

/**
 * The document with its rate: the account's own currency where none is said, which has no rate but 1 (3007); none is below zero (3002).
 * A rate of 1 is not told of.
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

/** The object that a field of the draft points at; undefined when it has none. */
export function pointed(draft: Values, field: string, { account }: Pick<Writing, "account">): Stored | undefined {
  return account.objects.pointedBy(draft[field]);
}

/** The same shift, or 3007 (19000 for returns): open, and not later than the document (D27, D28). */
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

/** A document that would change what a closed shift tells: 3007, of returns 19000 (D27). */
export function shiftClosed(code: number): Refusal {
  return code === 3007 ? refused(3007, undefined, "смена закрыта") : refused(code);
}

/**
 * The next number of the type (D47): that of the last created document whose name ends in digits and one more, with what stands before
 * and leading zeros; a number that some document has already is passed over.
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
