import type { CorrectionBasis, ReceiptDocument, ReceiptLine, SettlementSign, TradeDocument } from "../../../../model/document.ts";
import type { TaxSystem } from "../../../../model/tax.ts";
import { vatTotalsOf } from "../../../../model/vat.ts";
import { type RawTlv, readTlvs, readValue } from "../../../tags/tlv.ts";
import type { SentRequisites } from "../../../virtual/documents.ts";
import { basisIn, isBasis } from "./sent-basis.ts";
import { encodeTag } from "./sent-tags.ts";

/** Types of 8Dh; FF46 has different numbers (shtrih-protocol 5.7, 15). */
export type ReceiptType = 0 | 1 | 2 | 3;

/** The settlement sign of a type. FF46 has the same number as its field `operation`. */
export const SIGN_OF_TYPE: Record<ReceiptType, SettlementSign> = { 0: 1, 1: 3, 2: 2, 3: 4 };
export const TYPE_OF_SIGN: Record<SettlementSign, ReceiptType> = { 1: 0, 3: 1, 2: 2, 4: 3 };

/** The data of an item in FF46. Other commands send its unit and mark. */
type Item = Omit<ReceiptLine, "unit" | "mark">;

interface DraftItem {
  item: Item;
  tags: RawTlv[];
  mark?: string;
}

/** The payment of a receipt, known after FF45. */
export interface Closing {
  taxSystem: TaxSystem;
  roundingKopecks: number;
  tenders: TradeDocument["tenders"];
  /** Given when FF45 contains the taxes on the total. Absent: the taxes come from the items. */
  vatTotals?: TradeDocument["vatTotals"];
}

export type Opening = { type: ReceiptType; operator: number } & { kind: TradeDocument["kind"] };

/** A receipt between 8Dh and FF45. It exists only in memory and is lost when the power fails. */
export class OpenReceipt {
  readonly kind: TradeDocument["kind"];
  readonly type: ReceiptType;
  readonly operator: number;
  readonly #order: "after" | "before";
  readonly #items: DraftItem[] = [];
  readonly #tags: RawTlv[] = [];
  readonly #texts: string[] = [];
  /** The tags and the mark that the host has sent before their item. */
  #ahead: { tags: RawTlv[]; mark?: string } = { tags: [] };

  constructor({ kind, type, operator }: Opening, order: "after" | "before") {
    this.kind = kind;
    this.type = type;
    this.operator = operator;
    this.#order = order;
  }

  get itemCount(): number {
    return this.#items.length;
  }

  get sumKopecks(): number {
    return this.#items.reduce((sum, { item }) => sum + item.sumKopecks, 0);
  }

  get texts(): readonly string[] {
    return this.#texts;
  }

  get documentTags(): readonly RawTlv[] {
    return this.#tags;
  }

  get hasTagsWithoutItem(): boolean {
    return this.#ahead.tags.length > 0 || this.#ahead.mark !== undefined;
  }

  addItem(item: Item): void {
    this.#items.push({ item, ...this.#ahead });
    this.#ahead = { tags: [] };
  }

  addDocumentTags(tags: readonly RawTlv[]): void {
    this.#tags.push(...tags);
  }

  /** Returns the tags of the item that gets the next tags. Undefined: there is no item. */
  get itemTags(): readonly RawTlv[] | undefined {
    return this.#target()?.tags;
  }

  addItemTags(tags: readonly RawTlv[]): void {
    this.#target()?.tags.push(...tags);
  }

  /**
   * Binds the mark to the last item, or to the next item on devices with marks before items. False: there is no item, or it has a mark
   * already.
   */
  bindMark(mark: string): boolean {
    const target = this.#target();
    if (target === undefined || target.mark !== undefined) return false;
    target.mark = mark;
    return true;
  }

  addText(text: string): void {
    this.#texts.push(text);
  }

  /** Returns the document for the virtual device, and the requisites that stay as bytes. Undefined: a correction lacks its basis. */
  close({ taxSystem, roundingKopecks, tenders, vatTotals }: Closing): { document: TradeDocument; sent: SentRequisites } | undefined {
    const basis = this.kind === "correction" ? basisIn(this.#tags) : undefined;
    if (this.kind === "correction" && basis === undefined) return undefined;
    const lines = this.#items.map(lineOf);
    const head = headOf(this.#tags);
    const settlement = {
      sign: SIGN_OF_TYPE[this.type],
      ...head.values,
      taxSystem,
      lines,
      totalKopecks: this.sumKopecks - roundingKopecks,
      roundingKopecks,
      tenders,
      vatTotals: vatTotals ?? vatTotalsOf(lines),
    };
    return {
      document: documentOf(settlement, basis),
      sent: {
        document: head.rest.filter(({ tag }) => basis === undefined || !isBasis(tag)).map(encodeTag),
        lines: this.#items.map(({ tags }) => tags.filter(isKept).map(encodeTag)),
      },
    };
  }

  #target(): { tags: RawTlv[]; mark?: string } | undefined {
    return this.#order === "before" ? this.#ahead : this.#items.at(-1);
  }
}

function documentOf(settlement: Omit<ReceiptDocument, "kind">, basis: CorrectionBasis | undefined): TradeDocument {
  return basis === undefined ? { kind: "receipt", ...settlement } : { kind: "correction", ...settlement, basis };
}

/** Splits tags into the values of the virtual device's document and the unchanged rest. */
export function headOf(tags: readonly RawTlv[]): {
  values: Pick<TradeDocument, "reference" | "cashierName" | "address" | "place" | "buyerContact" | "senderEmail">;
  rest: RawTlv[];
} {
  const texts: Partial<Record<(typeof NAMES)[keyof typeof NAMES], string>> = {};
  for (const tlv of tags) {
    const name = isNamed(tlv.tag) ? NAMES[tlv.tag] : undefined;
    const text = readValue(tlv);
    if (name !== undefined && typeof text === "string") texts[name] = text;
  }
  return { values: { reference: referenceIn(tags), ...texts }, rest: tags.filter(({ tag }) => !isNamed(tag)) };
}

const NAMES = { 1021: "cashierName", 1009: "address", 1187: "place", 1008: "buyerContact", 1117: "senderEmail" } as const;

function isNamed(tag: number): tag is keyof typeof NAMES {
  return Object.hasOwn(NAMES, tag);
}

const MAX_REFERENCE_LENGTH = 16;

/** Returns the host's document id: the value of 1084, otherwise 1192. Empty: there is none, or it is too long. */
function referenceIn(tags: readonly RawTlv[]): string {
  const custom = tags.find(({ tag }) => tag === 1084);
  const value = (custom === undefined ? undefined : readTlvs(custom.value))?.find(({ tag }) => tag === 1086);
  const found = value ?? tags.find(({ tag }) => tag === 1192);
  const text = found === undefined ? "" : readValue(found);
  return typeof text === "string" && text.length <= MAX_REFERENCE_LENGTH ? text : "";
}

const UNIT_CODE = 2108;
const UNIT_NAME = 1197;

function isKept({ tag }: RawTlv): boolean {
  return tag !== UNIT_CODE && tag !== UNIT_NAME;
}

function lineOf({ item, tags, mark }: DraftItem): ReceiptLine {
  const code = tags.find(({ tag }) => tag === UNIT_CODE)?.value[0] ?? 0;
  const label = tags.find(({ tag }) => tag === UNIT_NAME);
  const unit = { code, label: label === undefined ? "" : String(readValue(label)) };
  return mark === undefined ? { ...item, unit } : { ...item, unit, mark };
}
