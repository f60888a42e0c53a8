import type { Fields } from "../protocol/bytes.ts";
import { fromCp1251 } from "../protocol/text.ts";
import { fvln, type Tag, tagsOf, textTag, tlv, vln } from "../protocol/tlv.ts";
import { Refused } from "./refused.ts";

/** For each tax byte of FF46: the code of tag 1199 and the per cent (shtrih-protocol 10.1, 9.3). */
const rates: Readonly<Record<number, { readonly code: number; readonly percent: number }>> = {
  1: { code: 1, percent: 20 },
  2: { code: 2, percent: 10 },
  4: { code: 5, percent: 0 },
  8: { code: 6, percent: 0 },
  16: { code: 3, percent: 20 },
  32: { code: 4, percent: 10 },
  129: { code: 7, percent: 5 },
  130: { code: 8, percent: 7 },
  132: { code: 9, percent: 5 },
  136: { code: 10, percent: 7 },
  203: { code: 11, percent: 22 },
  204: { code: 12, percent: 22 },
};

/** The operation of FF46 for each type of 8Dh. */
const operationOf = [1, 3, 2, 4];

export type Item = {
  readonly name: string;
  readonly quantityMillionths: number;
  readonly priceKopecks: number;
  readonly totalKopecks: number;
  readonly rate: number;
  readonly vatCode: number;
  readonly vatKopecks: number;
  readonly method: number;
  readonly subject: number;
  readonly tags: Tag[];
};

export type Payment = {
  readonly cashKopecks: number;
  readonly cashlessKopecks: number;
  readonly slots: readonly number[];
  readonly changeKopecks: number;
  readonly taxSystem: number;
};

/** A receipt that is open: from 8Dh, or the first FF46, to FF45 or 88h. */
export class OpenReceipt {
  readonly type: number;
  readonly operator: number;
  readonly items: Item[] = [];
  readonly tags: Tag[] = [];

  constructor(type: number, operator: number) {
    this.type = type;
    this.operator = operator;
  }

  get operation(): number {
    return operationOf[this.type] ?? 0;
  }

  get totalKopecks(): number {
    return this.items.reduce((sum, item) => sum + item.totalKopecks, 0);
  }

  add(operation: number, fields: Fields, twentyIsTwentyTwo: boolean): void {
    if (operation !== this.operation) throw new Refused(0x49, "another operation");
    const quantityMillionths = fields.uint(6);
    const priceKopecks = fields.uint(5);
    const given = moneyOrNone(fields);
    moneyOrNone(fields);
    const [rate, , method, subject] = [fields.uint(1), fields.uint(1), fields.uint(1), fields.uint(1)];
    const vat = rates[rate];
    if (vat === undefined || quantityMillionths === 0) throw new Refused(0x33, `rate ${rate} or quantity ${quantityMillionths}`);
    const exact = (quantityMillionths * priceKopecks) / 1_000_000;
    const totalKopecks = given ?? Math.round(exact);
    if (Math.abs(totalKopecks - exact) > 1) throw new Refused(0x33, `sum ${totalKopecks}, price by quantity ${exact}`);
    const percent = rate === 1 && twentyIsTwentyTwo ? 22 : vat.percent;
    const vatKopecks = Math.round((totalKopecks * percent) / (100 + percent));
    const vatCode = rate === 1 && twentyIsTwentyTwo ? 11 : vat.code;
    const name = fromCp1251(fields.take()).replaceAll("\0", "");
    this.items.push({ name, quantityMillionths, priceKopecks, totalKopecks, rate, vatCode, vatKopecks, method, subject, tags: [] });
  }

  tagItem(bytes: Buffer): void {
    const item = this.items.at(-1);
    if (item === undefined) throw new Refused(0x5e, "FF4D before FF46");
    for (const tag of parsed(bytes)) {
      if (tag.tag === 1023 || item.tags.some((one) => one.tag === tag.tag)) throw new Refused(0x33, `tag ${tag.tag} again`);
      item.tags.push(tag);
    }
  }

  settle(fields: Fields, registered: number): Payment {
    if (this.items.length === 0) throw new Refused(0x8e, "zero receipt");
    const slots = Array.from({ length: 16 }, () => fields.uint(5));
    const rounding = fields.uint(1);
    fields.take(30);
    const taxSystem = fields.uint(1);
    if (taxSystem !== 0 && ((taxSystem & (taxSystem - 1)) !== 0 || (taxSystem & registered) === 0))
      throw new Refused(0x33, `tax system ${taxSystem}`);
    const due = this.totalKopecks - rounding;
    const [cash = 0, ...others] = slots;
    const cashlessKopecks = others.reduce((sum, part) => sum + part, 0);
    if (cashlessKopecks > due) throw new Refused(0x4d, "cashless above the total");
    if (cash + cashlessKopecks < due) throw new Refused(0x45, "payments below the total");
    const changeKopecks = cash + cashlessKopecks - due;
    return { cashKopecks: cash - changeKopecks, cashlessKopecks, slots, changeKopecks, taxSystem };
  }
}

export const addTags = (tags: Tag[], bytes: Buffer): void => {
  for (const tag of parsed(bytes)) {
    if (tags.some((one) => one.tag === tag.tag)) throw new Refused(0x33, `tag ${tag.tag} again`);
    if (tag.tag === 1203 && tag.value.length !== 12) throw new Refused(0x33, "1203 is 12 characters");
    tags.push(tag);
  }
};

export const itemTag = (item: Item): Buffer =>
  tlv(
    1059,
    Buffer.concat([
      textTag(1030, item.name),
      tlv(1079, vln(item.priceKopecks)),
      tlv(1023, fvln(item.quantityMillionths, 6)),
      tlv(1043, vln(item.totalKopecks)),
      tlv(1199, Buffer.of(item.vatCode)),
      tlv(1200, vln(item.vatKopecks)),
      tlv(1214, Buffer.of(item.method)),
      tlv(1212, Buffer.of(item.subject)),
      ...item.tags.map(({ tag, value }) => tlv(tag, value)),
    ]),
  );

const parsed = (bytes: Buffer): readonly Tag[] => {
  try {
    return tagsOf(bytes);
  } catch {
    throw new Refused(0x33, "broken tags");
  }
};

const moneyOrNone = (fields: Fields): number | undefined => {
  const bytes = fields.take(5);
  return bytes.every((byte) => byte === 0xff) ? undefined : bytes.readUIntLE(0, 5);
};
